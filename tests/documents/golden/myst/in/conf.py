project = 'Kiln'
myst_substitutions = {'ware': 'stone{term}`ware`', "product": "never seen", "when": date(2026)}
rst_prolog = '.. |maker| replace:: the potter'
