"""The actions that sentences and language models ask displays for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.components.media_player import RepeatMode
from homeassistant.const import Platform

from ..const import DOMAIN

BRIGHTNESS_STEPS: Final[Mapping[str, int]] = {"brighter": 15, "darker": -15}


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a sentence asks for; of an entity beside the media player by its key."""

    domain: str
    service: str
    data: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    needs_work: bool = False


def _queue(service: str, **data: Any) -> Action:
    return Action(Platform.MEDIA_PLAYER, service, data, needs_work=True)


ACTIONS: Final[Mapping[str, Action]] = {
    "next": Action(DOMAIN, "show_work", {"work": "next"}, needs_work=True),
    "previous": Action(DOMAIN, "show_work", {"work": "previous"}, needs_work=True),
    "shuffle": _queue("shuffle_set", shuffle=True),
    "unshuffle": _queue("shuffle_set", shuffle=False),
    "repeat": _queue("repeat_set", repeat=RepeatMode.ALL),
    "unrepeat": _queue("repeat_set", repeat=RepeatMode.OFF),
    "stay": _queue("repeat_set", repeat=RepeatMode.ONE),
    "go_on": _queue("repeat_set", repeat=RepeatMode.ALL),
    "keep": Action(DOMAIN, "add_favorite"),
    "remove": Action(DOMAIN, "remove_favorite"),
    "mute": Action(Platform.MEDIA_PLAYER, "volume_mute", {"is_volume_muted": True}),
    "unmute": Action(Platform.MEDIA_PLAYER, "volume_mute", {"is_volume_muted": False}),
    "sleep": Action(Platform.MEDIA_PLAYER, "turn_off"),
    "wake": Action(Platform.MEDIA_PLAYER, "turn_on"),
    **{
        f"label_{option}": Action(
            Platform.SELECT, "select_option", {"option": option}, "museum_label"
        )
        for option in ("on", "off")
    },
    "rotate": Action(
        Platform.SELECT, "select_previous", {"cycle": True}, "orientation"
    ),
    **{
        change: Action(Platform.NUMBER, "set_value", key="panel_brightness")
        for change in (*BRIGHTNESS_STEPS, "brightness")
    },
}
