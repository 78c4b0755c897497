project = "Kiln"
source_suffix = ".txt"
exclude_patterns = ["includes", "requirements.txt"]
rst_epilog = """
.. |list| replace:: :ref:`the mailing list <mail>`
"""
extlinks = {"issue": ("https://example.org/issues/%s", "issue %s")}
