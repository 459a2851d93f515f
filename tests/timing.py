"""Shorter delays of the integration, for tests."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final

type Timing = dict[str, float]

# The modules in which the delays are constants.
MODULES: Final[Mapping[str, str]] = {
    "display.connection": "heartbeat first_retry last_retry last_retry_without_socket probe_interval steady loss_patience error_patience",
    "coordinator": "poll_interval first_patience state_patience push_patience",
    "display.discovery": "pace",
    "display.reads": "read_cooldown",
    "playback.work_watch": "follow_up end_patience",
    "display.metadata": "look_up_retry last_look_up_retry",
    "playback.activity": "activity_patience",
    "playback.links": "link_timeout",
    "grants": "proxy_grace",
    "playback.media_proxy": "lent_check",
    "browse.pictures": "picture_timeout picture_retry",
    "library.timing": "refresh list_retry page_pause title_timeout document_timeout",
    "library.listing": "read_retry",
    "library.shelf": "last_list_retry save_delay",
    "library.providers.catalog.server": "catalog_age",
    "library.providers.feed.server": "older_age",
    "library.providers.catalog.provider": "work_age work_retry",
    "library.providers.catalog.background_reader": "reading_start reading_pause reading_idle jitter",
    "playback.wall": "give_up",
    "update": "install_timeout",
}
PLACES: Final = {
    name: import_module(f"custom_components.dp1.{module}")
    for module, names in MODULES.items()
    for name in names.split()
}
DEFAULTS: Final[Timing] = {
    name: getattr(module, name.upper()) for name, module in PLACES.items()
}
FAST: Final[Timing] = {
    "pace": 50,
    "first_patience": 10.0,
    "first_retry": 0.05,
    "follow_up": 0.5,
    "push_patience": 2.0,
    "read_cooldown": 0.1,
    "page_pause": 0.0,
    "jitter": 0.0,
    "lent_check": 0.05,
}


def set_timing(**changes: float) -> None:
    """Change delays from now on; before each test they are reset."""
    for name, seconds in changes.items():
        setattr(PLACES[name], name.upper(), seconds)
