import os
import sys

sys.path.insert(0, os.path.abspath("."))
project = "Tidemark"
extensions = ["myst_parser"] + ([] if os.environ.get("TIDEMARK_SEARCH") == "own" else ["sheaf_docs"])
myst_enable_extensions = ["colon_fence"]
exclude_patterns = ["node_modules"]
myst_heading_anchors = 3
html_theme = os.environ.get("TIDEMARK_THEME", "alabaster")
html_baseurl = "https://tidemark.example/sphinx/"
html_copy_source = True
