project = "Tidemark"
extensions = ["myst_parser", "sheaf.sphinx"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_baseurl = "https://tidemark.example/sphinx/"
