"""`python -m sheaf_cluster`: started by `sheaf publish build --on ray`, which speaks to it over stdin and stdout."""

import sys

try:
    import fsspec  # noqa: F401
    import ray  # noqa: F401
except ImportError as missing:
    sys.exit(
        f"sheaf: {sys.executable} has no package {missing.name!r}, which --on ray needs: install "
        "distributed/requirements.txt of the sheaf package into a virtual environment, and name its python in SHEAF_PYTHON."
    )

from .driver import main

main()
