"""Search for sites built by Sphinx: ``extensions = ["sheaf.sphinx"]`` in conf.py. See docs/adapters.md."""

from sheaf_docs import setup

__all__ = ["setup"]
