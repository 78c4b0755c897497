"""Search for sites built by MkDocs: ``plugins: [sheaf]`` in mkdocs.yml, instead of MkDocs's own ``search``."""

from __future__ import annotations

import logging
from typing import Any

import sheaf_docs
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.plugins import BasePlugin

log = logging.getLogger("mkdocs.plugins.sheaf")


class SheafConfig(Config):
    """Options; all may be left out. See docs/adapters.md."""

    name = config_options.Optional(config_options.Type(str))
    version = config_options.Optional(config_options.Type(str))
    include = config_options.Optional(config_options.ListOfItems(config_options.Type(str)))
    exclude = config_options.Optional(config_options.ListOfItems(config_options.Type(str)))
    keywords = config_options.Type(bool, default=False)
    language = config_options.Optional(config_options.Type(str))


class SheafPlugin(BasePlugin[SheafConfig]):
    def on_config(self, config: Any) -> None:
        if "search" in config["plugins"] or "material/search" in config["plugins"]:
            log.warning(
                "The plugins `search` and `sheaf` are both on, so pages get two searches. Leave `search` out."
            )

    def on_post_build(self, config: Any) -> None:
        sheaf_docs.on_post_build(config, dict(self.config))
