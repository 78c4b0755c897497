# Sheaf in a container, from the tarball that `node scripts/release.mjs` makes.
#
# NOT TESTED: no container runtime was at hand where this was written.
#
#   docker build -t sheaf .
#   docker run --rm -i -v sheaf:/data sheaf mcp                                  an agent's server, over stdin and stdout
#   docker run --rm -v sheaf:/data -v "$PWD:/work" sheaf add mylib -s ./docs -y  documentation into its store
#   docker run --rm -v "$PWD:/work" -u "$(id -u):$(id -g)" sheaf site public --inject
#   docker run --rm -p 8081:8081 -v sheaf:/data -e SHEAF_MCP_TOKEN=… sheaf mcp --http 0.0.0.0:8081
#
# It runs as the user `node`, needs no rights and writes to /data alone; its root may be read-only (--read-only --tmpfs /tmp).
FROM node:20-bookworm-slim
COPY build/release/sheaf-[0-9]*.tgz /tmp/package/
RUN npm install --global --omit=optional --ignore-scripts --no-audit --no-fund /tmp/package/sheaf-*.tgz \
 && rm -rf /tmp/package /root/.npm \
 && mkdir /data /work && chown node:node /data /work
ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/data/config XDG_CACHE_HOME=/data/cache NODE_ENV=production
USER node
WORKDIR /work
VOLUME /data
ENTRYPOINT ["sheaf"]
CMD ["--help"]
