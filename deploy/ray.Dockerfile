# The nodes of a Ray cluster that makes a catalogue (deploy/kuberay.yaml): Ray's image, with Node and sheaf beside it.
#
# NOT TESTED: no container runtime was at hand where this was written.
#
#   docker build -t sheaf .                                                        from a release: the Dockerfile
#   docker build -t registry.example/sheaf-ray:0.1.0 -f deploy/ray.Dockerfile .
#
# Driver and workers must have one version of Ray and of Python: `ray` of distributed/requirements.txt, and the image's own.
FROM sheaf AS sheaf
FROM rayproject/ray:2.60.0-py311
COPY --from=sheaf /usr/local/bin/node /usr/local/bin/node
COPY --from=sheaf /usr/local/lib/node_modules/sheaf /usr/local/lib/node_modules/sheaf
USER root
RUN ln -s ../lib/node_modules/sheaf/dist/cli/main.js /usr/local/bin/sheaf
USER ray
RUN pip install --no-cache-dir --require-hashes -r /usr/local/lib/node_modules/sheaf/distributed/requirements.txt
ENV SHEAF_PYTHON=python NODE_ENV=production
