"""Intents: spoken requests to displays."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import time, timedelta
from functools import partial
from math import ceil
import re
from typing import Any, Final, override

import voluptuous as vol

from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import config_validation as cv, intent
from homeassistant.util import dt as dt_util

from .browse.display import next_title
from .browse.search import async_search_nodes
from .client.text import one_line
from .const import DOMAIN
from .displays import target_of
from .errors import displays_failed
from .language import async_message, async_spoken_in
from .library.libraries import async_libraries
from .library.words import fold
from .permissions import async_caller
from .playback.request import ForTime, Look, Request
from .playback.show import async_show
from .playback.wall import async_extend
from .voice.answers import MAX_NAMES, NotOursError, UnansweredError
from .voice.choice import (
    CHOICES,
    OFFERS,
    DidYouMeanError,
    Wish,
    async_choose,
    async_is_title,
)
from .voice.control import ACTIONS, PERCENT, async_act
from .voice.displays import SpokenDisplay, exposed_displays
from .voice.request import (
    MAX_SPOKEN,
    SPOKEN_TEXT,
    Sentence,
    Span,
    SpokenIntent,
    number_between,
    span_of,
)
from .voice.tail import Reading, Tail, async_tail, to_the_end

MAX_NOTE: Final = 300
# A question that nobody answered is forgotten.
OFFERED_FOR: Final = timedelta(seconds=30)
QUESTIONS: Final = "what about artist who when exhibition next hangs more"
SENTENCE: Final = re.compile(r".+?(?:[.!?](?=\s|$)|[。！？])|.+", re.DOTALL)


async def async_setup_intents(hass: HomeAssistant) -> None:
    """Register the intents."""
    for handler in (ShowIntent(), AskIntent(), ControlIntent()):
        intent.async_register(hass, handler)


class ShowIntent(SpokenIntent):
    """The wish to see art, or any if the speaker leaves it open."""

    intent_type = "Dp1Show"
    description = "Shows an exhibition, a work, an artist, the favorites, the Daily or something else on an art display"
    fields: Mapping[str, Any] = {
        vol.Exclusive("what", "what"): vol.All(intent.non_empty_string, SPOKEN_TEXT),
        vol.Exclusive("media", "what"): [cv.string],
        vol.Exclusive("choice", "what"): vol.In(CHOICES.split()),
        vol.Exclusive("year", "what"): number_between(1, 9999),
        vol.Optional("kind"): SPOKEN_TEXT,
        vol.Optional("rest"): SPOKEN_TEXT,
        vol.Optional("note"): cv.string,
    }

    @override
    async def answer(self, sentence: Sentence) -> str:
        """Show the best match of the words."""
        slots = sentence.slots
        offers = sentence.hass.data.setdefault(OFFERS, {})
        offers.pop(sentence.speaker, None)
        if "media" in slots:
            displays = sentence.displays()
            request = await async_choose(sentence.hass, slots, displays)
            return await _async_show(sentence, request, displays)
        tail = await async_tail(sentence.hass, sentence.answers.language)
        if "what" in slots:
            return await _async_named(replace(sentence, slots=slots), tail)
        if tail.names_art(sentence.intent.text_input or ""):
            slots = {"art": "yes", **slots}
        return await _async_chosen(replace(sentence, slots=slots))


async def _async_chosen(sentence: Sentence) -> str:
    """Show something that the speaker leaves open."""
    displays = sentence.displays(names_art="year" in sentence.slots)
    request = await async_choose(sentence.hass, sentence.slots, displays)
    return await _async_show(sentence, request, displays)


async def _async_named(sentence: Sentence, tail: Tail) -> str:
    """Show what is named; the longest title that exists is meant.

    A name is looked for before its place: what names nothing of ours is not ours, wherever it is said.
    """
    hass, slots = sentence.hass, sentence.slots
    what = to_the_end(slots["what"], sentence.intent.text_input)[:MAX_SPOKEN]
    libraries, readings = async_libraries(hass), [*tail.readings(what)]
    placed = tail.placed(readings[-1])
    for reading in (*readings, *filter(None, [placed])):
        if choice := tail.choice_of(reading.what):
            others = {key: slots[key] for key in slots if key != "what"}
            chosen = {**reading.slots, **others, **choice}
            return await _async_chosen(replace(sentence, slots=chosen))
        if await async_is_title(libraries, reading.what):
            break
    else:
        reading = readings[-1]
    if tail.is_a_look((sentence.intent.text_input or "").replace(reading.what, " ")):
        slots = {**slots, "look": "yes"}
    everywhere = exposed_displays(hass, sentence.intent.assistant)
    try:
        request, meant = await _async_first(hass, slots, everywhere, reading, placed)
    except DidYouMeanError as err:
        # It is known who says "yes", and no language model takes over.
        if sentence.speaker and not sentence.has_model:
            until = dt_util.utcnow() + OFFERED_FOR
            offered = err.request, {**reading.slots, **slots}, until
            hass.data[OFFERS][sentence.speaker] = offered
        raise
    sentence = replace(sentence, slots=meant)
    return await _async_show(sentence, request, sentence.displays(names_art=True))


async def _async_first(
    hass: HomeAssistant,
    slots: Mapping[str, Any],
    displays: list[SpokenDisplay],
    reading: Reading,
    other: Reading | None,
) -> tuple[Wish, Mapping[str, Any]]:
    """Return the request of a reading with all slots, else of another one; raise what is wrong with the first."""
    meant: Mapping[str, Any] = {**reading.slots, **slots, "what": reading.what}
    try:
        return await async_choose(hass, meant, displays), meant
    except NotOursError:
        if other is None:
            raise
        with suppress(NotOursError):
            meant = {**other.slots, **slots, "what": other.what}
            return await async_choose(hass, meant, displays), meant
        raise


async def _async_show(
    sentence: Sentence, wish: Wish, displays: list[SpokenDisplay]
) -> str:
    """Show a wish on displays, and return the answer that names them."""
    hass, answers, context = sentence.hass, sentence.answers, sentence.intent.context
    span = span_of(sentence.slots, _bedtime(sentence, displays))
    entity_ids = [display.entity_id for display in displays]
    (await async_caller(hass, context)).check(POLICY_CONTROL, *entity_ids)
    note = sentence.slots.get("note")
    request = Request(
        art=wish.art,
        look=Look(texts={"note": {"text": note}} if note else {}),
        term=ForTime(timedelta(**_as_data(span))) if span else None,
        context=context,
    )
    targets = [target_of(hass, entity_id) for entity_id in entity_ids]
    async with async_spoken_in(hass, answers.translation):
        results = await async_show(hass, request, targets)
        errors = {
            entity_id: result
            for entity_id, result in results.items()
            if isinstance(result, HomeAssistantError)
        }
        text_of = partial(async_message, hass)
        if len(errors) == len(displays):
            raise displays_failed([*errors.values()], len(displays), text_of)
        failed = {entity_id: text_of(err) for entity_id, err in errors.items()}
    succeeded = [d for d in displays if d.entity_id not in failed]
    texts = {
        "title": answers.say(wish.called) if wish.called else wish.title,
        "where": sentence.names(succeeded),
    }
    key = "shown"
    if span:
        key, texts["time"] = "shown_for", answers.span(span.duration, span.until)
    if wish.is_everything:
        said = answers.say(f"{key}_everything", artist=wish.artists[0], **texts)
    elif wish.artists or wish.is_work:
        said = answers.credit(f"{key}_by", wish.artists, **texts)
    else:
        said = answers.say(key, **texts)
    failures = [
        answers.say("failed_on", name=d.name, error=failed[d.entity_id])
        for d in displays
        if d not in succeeded
    ]
    return " ".join((said, *failures))


def _bedtime(sentence: Sentence, displays: list[SpokenDisplay]) -> time | None:
    """Return the bedtime of a display if it is the end of a wish, or raise that it has none."""
    if sentence.slots.get("until") != "bedtime":
        return None
    for display in displays:
        state = display.state_of(Platform.TIME, "sleep_time")
        if state and (bedtime := dt_util.parse_time(state.state)) is not None:
            return bedtime
    raise UnansweredError("which_bedtime", name=sentence.names(displays))


def _as_data(span: Span) -> dict[str, int]:
    """Return a duration as the recorder can keep it; what lasts until ten does not end before."""
    return {"seconds": ceil(span.duration.total_seconds())}


class AskIntent(SpokenIntent):
    """A question about the current work."""

    intent_type = "Dp1Ask"
    description = "Tells what an art display shows: title, artist, year, exhibition, what comes next"
    fields: Mapping[str, Any] = {vol.Required("question"): vol.In(QUESTIONS.split())}

    @override
    async def answer(self, sentence: Sentence) -> str:
        """Answer for each display."""
        displays = sentence.displays(default_all=True)
        caller = await async_caller(sentence.hass, sentence.intent.context)
        caller.check(POLICY_READ, *(display.entity_id for display in displays))
        question = sentence.slots["question"]
        if len(displays) > 1 and question not in ("hangs", "next"):
            # The question is about what is seen.
            displays = [d for d in displays if not d.emptiness] or displays
        if question == "what" and len(displays) > 1:
            question = "hangs"
        said = [await _async_tell(sentence, question, d) for d in displays]
        return " ".join(dict.fromkeys(said))


async def _async_tell(sentence: Sentence, question: str, display: SpokenDisplay) -> str:
    """Answer a question about a display."""
    say, credit = sentence.answers.say, sentence.answers.credit
    if empty := display.emptiness:
        return say(empty, name=display.name)
    title = display.attribute("media_title") or say("untitled")
    artists = display.artists
    details = display.attribute(DOMAIN) or {}
    match question:
        case "what":
            return credit("what", artists, title=title)
        case "about":
            return _about(sentence, title, artists, details)
        case "artist" if about := _beginning(details, "about_artist", 2):
            return f"{credit('who', artists, title=title)} {about}"
        case "artist" | "who":
            return credit("who", artists, title=title)
        case "when" if year := details.get("year"):
            return say("when", title=title, year=str(year))
        case "exhibition" if show := display.attribute("media_album_name"):
            return say("exhibition", title=title, exhibition=show)
        case "exhibition" if playlist := display.attribute("media_playlist"):
            return say("exhibition_playlist", title=title, playlist=playlist)
        case "next" if (coordinator := display.coordinator) and (
            following := next_title(coordinator)
        ):
            return say("next", title=following, name=display.name)
        case "more" if artists:
            return await _async_more(sentence, ", ".join(artists), title)
        case "more":
            return credit("who", (), title=title)
        case "hangs":
            return credit("hangs", artists, title=title, where=display.name)
    return say(f"{question}_unknown", title=title, name=display.name)


def _about(
    sentence: Sentence, title: str, artists: list[str], details: Mapping[str, Any]
) -> str:
    """Tell of a work in a sentence, of its note in another, and of the artist in two."""
    facts = [str(details[key]) for key in ("year", "medium") if details.get(key)]
    label = f"{title} ({', '.join(facts)})" if facts else title
    sentences = (
        sentence.answers.credit("what", artists, title=label),
        _beginning(details, "note", 1),
        _beginning(details, "about_artist", 2),
    )
    return " ".join(filter(None, sentences))


def _beginning(details: Mapping[str, Any], key: str, count: int) -> str:
    """Return the first sentences of a text about a work."""
    text = one_line(str(details.get(key) or ""), MAX_NOTE)
    return "".join(SENTENCE.findall(text)[:count])


async def _async_more(sentence: Sentence, artist: str, title: str) -> str:
    """Return the answer that names other works of an artist."""
    nodes = await async_search_nodes(async_libraries(sentence.hass), artist)
    titles = [
        node.title
        for _, node in nodes
        if fold(artist) in fold(node.artist or "") and fold(node.title) != fold(title)
    ]
    titles = list(dict.fromkeys(titles))[:MAX_NAMES]
    if not titles:
        return sentence.answers.say("more_unknown", artist=artist)
    listed = sentence.answers.join(titles)
    return sentence.answers.say("more", artist=artist, titles=listed)


class ControlIntent(SpokenIntent):
    """A wish about displays, which is an action."""

    intent_type = "Dp1Control"
    description = "Steps through the works on an art display, keeps them, stays on one, changes label or brightness, lets displays sleep"
    fields: Mapping[str, Any] = {
        vol.Required("action"): vol.In((*ACTIONS, "extend", "yes")),
        vol.Optional("brightness"): PERCENT,
        vol.Optional("volume"): PERCENT,
    }

    @override
    async def answer(self, sentence: Sentence) -> str:
        """Carry out the action, and say so."""
        name = sentence.slots["action"]
        if name == "yes":
            return await _async_accept(sentence)
        if name == "hide":
            # It lasts, and is not to happen in another room: nobody is taken for one who means what hangs elsewhere.
            slots = {key: sentence.slots[key] for key in sentence.slots if key != "art"}
            sentence = replace(sentence, slots=slots)
        displays = sentence.displays(default_all=name in ("sleep", "wake"))
        if name == "hide" and len(displays) > 1:
            names = [display.name for display in displays]
            raise UnansweredError("which_display", names=names)
        if name in ("keep", "remove"):
            displays = displays[:1]
        if name == "extend":
            return await _async_extend(sentence, displays)
        if name == "stay":
            if span := span_of(sentence.slots, _bedtime(sentence, displays)):
                return await _async_stay(sentence, displays, span)
        say = sentence.answers.say
        titles = {d: d.attribute("media_title") or say("untitled") for d in displays}
        done, failures = await async_act(sentence, displays)
        if name in ("next", "previous"):
            said = [await _async_tell(sentence, "hangs", display) for display in done]
        elif name in ("stay", "keep", "remove", "hide"):
            said = [say(name, title=titles[d], where=d.name) for d in done]
        else:
            said = [say(name, where=sentence.names(done))]
        return " ".join((*said, failures)).strip()


async def _async_stay(
    sentence: Sentence, displays: list[SpokenDisplay], span: Span
) -> str:
    """Show only the current works for a limited time."""
    said = []
    for display in displays:
        if (work := display.attribute("media_track")) is None:
            raise UnansweredError("cannot", name=display.name)
        said.append(_until(sentence, display, span))
        await sentence.call(
            DOMAIN,
            "show_work",
            entity_id=display.entity_id,
            work=work,
            show_for=_as_data(span),
        )
    return " ".join(said)


async def _async_extend(sentence: Sentence, displays: list[SpokenDisplay]) -> str:
    """Extend the announcements on displays."""
    caller = await async_caller(sentence.hass, sentence.intent.context)
    caller.check(POLICY_CONTROL, *(display.entity_id for display in displays))
    if (span := span_of(sentence.slots)) is None:
        raise UnansweredError("how_long")
    said = []
    for display in displays:
        coordinator, until = display.coordinator, None
        if coordinator:
            until = await async_extend(coordinator, span.duration)
        if until is None:
            said.append(sentence.answers.say("no_end", where=display.name))
        else:
            rest = Span(until - dt_util.utcnow(), dt_util.as_local(until))
            said.append(_until(sentence, display, rest))
    return " ".join(said)


def _until(sentence: Sentence, display: SpokenDisplay, span: Span) -> str:
    """Tell for how long a display shows its work."""
    return sentence.answers.credit(
        "shown_for_by",
        display.artists,
        title=display.attribute("media_title") or sentence.answers.say("untitled"),
        where=display.name,
        time=sentence.answers.span(span.duration, span.until),
    )


async def _async_accept(sentence: Sentence) -> str:
    """Show the medium that was offered to the speaker a moment ago."""
    offer = sentence.hass.data.get(OFFERS, {}).pop(sentence.speaker, None)
    if offer is None or offer[2] < dt_util.utcnow():
        raise NotOursError("nothing_asked")
    request, slots, _ = offer
    meant = replace(sentence, slots=slots)
    return await _async_show(meant, request, meant.displays(names_art=True))
