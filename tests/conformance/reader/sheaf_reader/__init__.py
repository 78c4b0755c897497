"""A second reader of Sheaf's bundles, written from docs/format.md, docs/analysis.md and docs/search.md alone."""
