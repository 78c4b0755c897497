"""The driver of `sheaf publish build --on ray`, and what it runs on a cluster's nodes. See docs/scale.md.

    driver.py    requests of `sheaf` on stdin, stages and their bounds     (Ray)
    stages.py    the tasks and actors of the stages                        (Ray)
    capacity.py  whether nodes can take what stages ask for
    worker.py    `sheaf publish worker`, the process that fetches and packs
    parcel.py    fetched pages on their way from one node to another
    session.py   one packer's embedding, answered by actors
    embedder.py  an encoder's process, its batches, and the vectors that are known
    vectors.py   vectors by content, in memory and in files
    frames.py    docs/embedding-protocol.md
    output.py    files under an address, by fsspec

Only the first two import ray.
"""
