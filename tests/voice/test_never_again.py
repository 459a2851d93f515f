"""Never show this again, and a surprise, as they are said."""

import pytest

from homeassistant.auth.const import GROUP_ID_READ_ONLY
from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from .hearing import LANGUAGES, names_of, recognize
from .home import Home

# What is said before a display, and with the name of another one.
NEVER_AGAIN = {
    "en": (
        "never show this again",
        "don't show me this artwork again",
        "I never want to see this artwork again on the {display}",
        "never show me this picture again on the {display}",
        "hide this artwork on the {display}",
    ),
    "de": (
        "zeig mir das nie wieder",
        "zeig dieses Bild nicht mehr",
        "ich will dieses Bild nie wieder sehen",
        "dieses Bild auf der {display} will ich nie wieder sehen",
        "versteck dieses Bild auf der {display}",
    ),
    "fr": (
        "ne me montre plus jamais ça",
        "ne montre plus cette œuvre",
        "je ne veux plus voir ce tableau",
        "ne me montre plus jamais cette œuvre sur {display}",
        "cache cette œuvre sur {display}",
    ),
    "es": (
        "no me muestres esto nunca más",
        "no quiero volver a ver esta obra",
        "no me enseñes nunca más esta obra en {display}",
        "oculta esta obra en {display}",
    ),
    "nl": (
        "laat dit nooit meer zien",
        "toon dit schilderij niet meer",
        "ik wil dit schilderij nooit meer zien",
        "laat dit kunstwerk nooit meer zien op {display}",
        "verberg dit kunstwerk op {display}",
    ),
    "ja": (
        "これはもう見せないで",
        "この作品は二度と見せないで",
        "{display}のこの作品はもう二度と見せないで",
        "この絵を非表示にして",
    ),
    "zh": (
        "以后别再给我看这幅画了",
        "这幅画以后别再挂了",
        "{display}上的这件作品以后别再给我看了",
        "我不想再看到这幅画",
        "把这幅画隐藏起来",
    ),
}
SURPRISE = {
    "en": ("surprise me", "surprise us in the {room} please"),
    "de": ("überrasch mich", "überrasche uns im {room}"),
    "fr": ("surprends-moi", "surprends-nous dans le {room}"),
    "es": ("sorpréndeme", "sorpréndenos en el {room}"),
    "nl": ("verras me", "verras ons eens in de {room}"),
    "ja": ("驚かせて", "{room}で驚かせて"),
    "zh": ("给我个惊喜", "在{room}给我们来点惊喜"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_are_understood(language: str) -> None:
    """Each language has words for both, here and elsewhere, and they are not taken for a title."""
    names = names_of(language)
    display, room = names["display_2"], names["room_2"]
    wrong = []
    for said, slot, value in (
        *((said, "action", "hide") for said in NEVER_AGAIN[language]),
        *((said, "choice", "surprise") for said in SURPRISE[language]),
    ):
        sentence = said.format(display=display, room=room)
        _, slots = recognize(language, sentence)
        expected: dict[str, str] = {slot: value}
        if "{display}" in said:
            expected["name"] = display
        if "{room}" in said:
            expected["area"] = room
        if not expected.items() <= slots.items():
            wrong.append((sentence, slots))
    assert not wrong


@pytest.mark.usefixtures("socket_enabled")
async def test_never_again(hass: HomeAssistant, home: Home) -> None:
    """The work of the one display in the room, or of the one that is named, is hidden and left out; no other is."""
    hidden = home.library.hidden.nodes
    await home.cast("Net Evil", home.here, home.there)
    work = home.attribute(home.here, "media_title")
    assert await home.does("never show this again") == (
        f"{work} is hidden and will not be shown again."
    )
    assert [node.title for node in hidden()] == [work]
    assert work not in [item["title"] for item in home.here.state.items]
    # Whoever is in another room has to name the display.
    home.speaker = home.kitchen
    for sentence in ("never show this again", "hide this artwork"):
        said, failed = await home.say(sentence)
        assert failed
        assert said.startswith("There is no art display in this room."), sentence
    assert len(hidden()) == 1
    other = home.attribute(home.there, "media_title")
    await home.does("never show this artwork again on the easel")
    assert len(hidden()) == (1 if other == work else 2)


@pytest.mark.usefixtures("socket_enabled", "hass_admin_user")
async def test_which_is_never_to_come_again(hass: HomeAssistant, home: Home) -> None:
    """Of two displays in a room one is to be named, and who may not change the library hides nothing."""
    await home.cast("Net Evil", home.here, home.there)
    guest = await hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_READ_ONLY])
    result = await conversation.async_converse(
        hass,
        "never show this again",
        None,
        Context(user_id=guest.id),
        language="en",
        device_id=home.speaker,
    )
    assert result.response.error_code is not None
    room = ar.async_get(hass).async_get_area_by_name("Living Room")
    display = er.async_get(hass).async_get(home.ids[home.there.url])
    assert room and display and display.device_id
    dr.async_get(hass).async_update_device(display.device_id, area_id=room.id)
    said, failed = await home.say("never show this again")
    assert (said, failed) == ("On which display, Big Wall or Easel?", True)
    assert not home.library.hidden.nodes()


@pytest.mark.usefixtures("socket_enabled")
async def test_surprise(hass: HomeAssistant, home: Home) -> None:
    """A surprise is what the library mixes, and is called so."""
    assert await home.does("surprise me") == "A surprise: now on Big Wall."
    assert home.here.casts == 1
