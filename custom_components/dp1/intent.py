"""Intents: what people say to displays."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.media_player import MediaPlayerState, RepeatMode
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import Unauthorized
from homeassistant.helpers import intent

from .browse.for_cards import next_title
from .browse.search import async_search_nodes
from .const import DOMAIN
from .library.entries import async_libraries
from .library.search import fold
from .playback.groups import async_run
from .playback.queue import async_move
from .voice.answers import UnansweredError
from .voice.displays import SpokenDisplay
from .voice.request import Request, SpokenIntent
from .voice.show import ShowCameraIntent, ShowChoiceIntent, ShowIntent

BRIGHTNESS_STEP: Final = 15
MAX_TITLES: Final = 4
# Actions of the media player and their data.
PLAYBACK: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "shuffle": ("shuffle_set", {"shuffle": True}),
    "unshuffle": ("shuffle_set", {"shuffle": False}),
    "repeat": ("repeat_set", {"repeat": RepeatMode.ALL}),
    "unrepeat": ("repeat_set", {"repeat": RepeatMode.OFF}),
    "stay": ("repeat_set", {"repeat": RepeatMode.ONE}),
    "go_on": ("repeat_set", {"repeat": RepeatMode.ALL}),
}
# A display that ignores music's commands has no action for these.
STEPS: Final[Mapping[str, int]] = {"next": 1, "previous": -1}
SETTINGS: Final = ("label_on", "label_off", "rotate", "brighter", "darker")
QUESTIONS: Final = ("what", "who", "when", "exhibition", "next", "hangs", "more")


async def async_setup_intents(hass: HomeAssistant) -> None:
    """Register the intents."""
    for handler in (
        ShowIntent(),
        ShowChoiceIntent(),
        ShowCameraIntent(),
        AskIntent(),
        FavoriteIntent(),
        PlaybackIntent(),
        AdjustIntent(),
        SleepIntent(),
        WakeIntent(),
    ):
        intent.async_register(hass, handler)


class AskIntent(SpokenIntent):
    """Answer a question about what is shown."""

    intent_type = "Dp1Ask"
    description = "Tells what an art display shows: title, artist, year, exhibition, what comes next"
    fields: Mapping[str, Any] = {vol.Required("question"): vol.In(QUESTIONS)}

    @override
    async def answer(self, request: Request) -> str:
        """Answer for each display."""
        displays = request.displays(default_all=True)
        question = request.slots["question"]
        if len(displays) > 1 and question not in ("hangs", "next"):
            # What is asked is what is seen.
            seen = [d for d in displays if d.state.state == MediaPlayerState.PLAYING]
            displays = seen or displays
        if question == "what" and len(displays) > 1:
            question = "hangs"
        said = [await self._answer_for(request, question, d) for d in displays]
        return " ".join(dict.fromkeys(said))

    async def _answer_for(
        self, request: Request, question: str, display: SpokenDisplay
    ) -> str:
        """Answer a question about one display."""
        say = request.answers.say
        if not display.is_available:
            return say("unavailable", name=display.name)
        if display.state.state == MediaPlayerState.OFF:
            return say("asleep", name=display.name)
        title, artist = (
            display.attribute("media_title"),
            display.attribute("media_artist"),
        )
        if display.state.state != MediaPlayerState.PLAYING:
            return say("nothing", name=display.name)
        title = title or say("untitled")
        details = display.attribute("dp1") or {}
        match question:
            case "what":
                return request.answers.credit("what", artist, title=title)
            case "who":
                return request.answers.credit("who", artist, title=title)
            case "when" if year := details.get("year"):
                return say("when", title=title, year=str(year))
            case "exhibition" if show := display.attribute("media_album_name"):
                return say("exhibition", title=title, exhibition=show)
            case "exhibition" if playlist := display.attribute("media_playlist"):
                return say("exhibition_playlist", title=title, playlist=playlist)
            case "next" if following := _next(display):
                return say("next", title=following, name=display.name)
            case "more" if artist:
                return await _async_more(request, artist, title)
            case "more":
                return request.answers.credit("who", None, title=title)
            case "hangs":
                return request.answers.credit(
                    "hangs", artist, title=title, where=display.name
                )
        return say(f"{question}_unknown", title=title, name=display.name)


def _next(display: SpokenDisplay) -> str | None:
    """Return the title of the work that comes next."""
    coordinator = display.coordinator
    return next_title(coordinator) if coordinator else None


async def _async_more(request: Request, artist: str, title: str) -> str:
    """Tell what else there is by an artist."""
    found = await async_search_nodes(async_libraries(request.hass), artist)
    titles = [
        node.title
        for _, node in found
        if fold(artist) in fold(node.artist or "") and fold(node.title) != fold(title)
    ]
    titles = list(dict.fromkeys(titles))[:MAX_TITLES]
    if not titles:
        return request.answers.say("more_unknown", artist=artist)
    listed = request.answers.join(titles)
    return request.answers.say("more", artist=artist, titles=listed)


class FavoriteIntent(SpokenIntent):
    """Add what is shown to the favorites, or remove it."""

    intent_type = "Dp1Favorite"
    description = "Adds the work on an art display to the favorites, or removes it"
    fields: Mapping[str, Any] = {vol.Required("change"): vol.In(("add", "remove"))}

    @override
    async def answer(self, request: Request) -> str:
        """Change the favorites."""
        change = request.slots["change"]
        (display, *_) = request.displays()
        title = display.attribute("media_title")
        entity_id = display.entity_id
        await request.call(DOMAIN, f"{change}_favorite", entity_id=entity_id)
        named = title or request.answers.say("untitled")
        return request.answers.say(f"favorite_{change}", title=named)


class PlaybackIntent(SpokenIntent):
    """Go on, back, stay, shuffle or repeat."""

    intent_type = "Dp1Playback"
    description = "Shows the next or previous work on an art display, stays on one, shuffles or repeats"
    fields: Mapping[str, Any] = {vol.Required("action"): vol.In((*STEPS, *PLAYBACK))}

    @override
    async def answer(self, request: Request) -> str:
        """Carry out the request, and say what is shown then."""
        action = request.slots["action"]
        service, data = PLAYBACK.get(action, ("", {}))

        async def act(display: SpokenDisplay) -> None:
            """Act on one display."""
            if display.state.state != MediaPlayerState.PLAYING:
                key = "asleep" if display.state.state == "off" else "nothing"
                raise UnansweredError(key, name=display.name)
            if action in STEPS:
                await _async_step(request, display, STEPS[action])
                return
            await request.call(
                Platform.MEDIA_PLAYER, service, entity_id=display.entity_id, **data
            )

        done, failures = await request.async_act(request.displays(), act)
        said = [self._said(request, action, display) for display in done]
        return " ".join((*said, failures)).strip()

    def _said(self, request: Request, action: str, display: SpokenDisplay) -> str:
        """Return what to say of one display."""
        title = display.attribute("media_title") or request.answers.say("untitled")
        if action in ("next", "previous"):
            artist = display.attribute("media_artist")
            return request.answers.credit(
                "hangs", artist, title=title, where=display.name
            )
        return request.answers.say(action, title=title, where=display.name)


async def _async_step(request: Request, display: SpokenDisplay, step: int) -> None:
    """Show the next or previous work on a display or its group."""
    context, coordinator = request.intent.context, display.coordinator
    user_id = context.user_id
    user = await request.hass.auth.async_get_user(user_id) if user_id else None
    if user and not user.permissions.check_entity(display.entity_id, POLICY_CONTROL):
        raise Unauthorized(context=context, entity_id=display.entity_id)
    if coordinator is None:
        raise UnansweredError("unavailable", name=display.name)
    await async_run(coordinator, context, step, partial(async_move, step=step))


class AdjustIntent(SpokenIntent):
    """Change the label, the orientation or the brightness."""

    intent_type = "Dp1Adjust"
    description = "Turns the museum label on or off, rotates an art display, or changes its brightness"
    fields: Mapping[str, Any] = {vol.Required("setting"): vol.In(SETTINGS)}

    @override
    async def answer(self, request: Request) -> str:
        """Change the setting."""
        setting = request.slots["setting"]

        async def act(display: SpokenDisplay) -> None:
            """Change the setting of one display."""
            match setting:
                case "label_on" | "label_off":
                    await request.call(
                        Platform.SELECT,
                        "select_option",
                        entity_id=display.entity(Platform.SELECT, "museum_label"),
                        option=setting.removeprefix("label_"),
                    )
                case "rotate":
                    await request.call(
                        Platform.SELECT,
                        "select_previous",
                        entity_id=display.entity(Platform.SELECT, "orientation"),
                        cycle=True,
                    )
                case _:
                    step = (
                        BRIGHTNESS_STEP if setting == "brighter" else -BRIGHTNESS_STEP
                    )
                    await _async_brighten(request, display, step)

        done, failures = await request.async_act(request.displays(), act)
        said = request.answers.say(setting, where=request.names(done))
        return f"{said} {failures}".strip()


async def _async_brighten(
    request: Request, display: SpokenDisplay, step: float
) -> None:
    """Change the brightness of a panel."""
    entity_id = display.entity(Platform.NUMBER, "panel_brightness")
    state = request.hass.states.get(entity_id)
    try:
        now = float(state.state if state else "")
    except ValueError as err:
        raise UnansweredError("cannot", name=display.name) from err
    value = min(100.0, max(0.0, now + step))
    await request.call(Platform.NUMBER, "set_value", entity_id=entity_id, value=value)


class SleepIntent(SpokenIntent):
    """Put displays to sleep."""

    intent_type = "Dp1Sleep"
    description = "Puts art displays to sleep"
    service = "turn_off"
    key = "sleep"

    @override
    async def answer(self, request: Request) -> str:
        """Put the displays to sleep, or wake them."""

        async def act(display: SpokenDisplay) -> None:
            """Act on one display."""
            await request.call(
                Platform.MEDIA_PLAYER, self.service, entity_id=display.entity_id
            )

        meant = request.displays(default_all=True)
        done, failures = await request.async_act(meant, act)
        key = "good_night" if request.slots.get("night") else self.key
        said = request.answers.say(key, where=request.names(done))
        return f"{said} {failures}".strip()


class WakeIntent(SleepIntent):
    """Wake displays."""

    intent_type = "Dp1Wake"
    description = "Wakes art displays"
    service = "turn_on"
    key = "wake"
