"""Test that nothing private is published, wherever in a document it is, as it is or encoded once."""

from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from html import escape
import json
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.actions.publishable import private_faults
from custom_components.dp1.client.playlist.schema import MAX_FAULTS
from homeassistant.core import HomeAssistant
from homeassistant.core_config import async_process_ha_core_config
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError

from .calls import call

from tests.displays import ENTITY_ID, playlist, state_of, until
from tests.libraries import library_entry, set_up
from tests.simulators.display import DisplaySimulator
from tests.simulators.feed import FeedSimulator

pytestmark = pytest.mark.usefixtures("socket_enabled")

PUBLIC = "https://art.example/tide.html"
NAS = "http://nas.local/tide.html"
LENT = "https://my.example/api/dp1/media/camera.door.jpg?token=s3cr3t"


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    """Run a feed that takes an API key."""
    async with FeedSimulator("v2", "key", random_seed=1) as simulator:
        yield simulator


@pytest.fixture
async def library(
    hass: HomeAssistant, feed: FeedSimulator, setup_display: MockConfigEntry
) -> MockConfigEntry:
    await async_process_ha_core_config(hass, {"internal_url": "http://10.0.0.5:8123"})
    return await set_up(hass, library_entry(feed.url, api_key="key"))


def page(address: str, *, coded: bool = False) -> str:
    html = f'<img src="{escape(address)}">'
    if coded:
        return f"data:text/html;base64,{b64encode(html.encode()).decode()}"
    return f"data:text/html,{quote(html, safe='')}"


def query(**fields: Any) -> dict[str, Any]:
    mapping = {"itemsPath": "data", "itemSchema": "dp1/1.1"}
    return {
        "profile": "https-json-v1",
        "endpoint": "https://art.example/works",
        "responseMapping": mapping,
        **fields,
    }


def with_item(**fields: Any) -> dict[str, Any]:
    """Return fields of a playlist with a work."""
    return {"items": [{"source": PUBLIC, **fields}]}


MANIFEST = {"refVersion": "0.1.0", "locale": "en"}
HEADERS = {"Authorization": "Bearer s3cr3t"}
DOCUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"coverImage": NAS}, "coverImage"),
    ({"coverImage": LENT}, "coverImage"),
    ({"summary": f"See {LENT}"}, "summary"),
    ({"note": {"text": f"See {NAS}"}}, "note.text"),
    ({"curators": [{"name": "A", "key": "did:key:z6M", "url": NAS}]}, "curators[0].url"),
    ({"dynamicQuery": query(endpoint=NAS)}, "dynamicQuery.endpoint"),
    ({"dynamicQuery": query(headers=HEADERS)}, "dynamicQuery.headers.Authorization"),
    (with_item(ref=NAS), "items[0].ref"),
    (with_item(note={"text": LENT}), "items[0].note.text"),
    (with_item(override={"a": [{"b": NAS}]}), "items[0].override.a[0].b"),
    (with_item(override={LENT: 1}), "items[0].override"),
    (with_item(inlineManifest={**MANIFEST, "x": NAS}), "items[0].inlineManifest.x"),
    (with_item(source=page(NAS)), "items[0].source"),
    (with_item(source=page(LENT)), "items[0].source"),
    (with_item(source=page(NAS, coded=True)), "items[0].source"),
    (with_item(source=f"https://art.example/?at={quote(LENT, safe='')}"), "items[0].source"),
    (with_item(source="rtsp://user@192.168.1.7/stream"), "items[0].source"),
    (with_item(source="file:///config/secrets.yaml"), "items[0].source"),
    (with_item(source="media-source://dp1/01J/exhibition/1"), "items[0].source"),
    (with_item(source="http://[fd00::1]/a.jpg"), "items[0].source"),
]  # fmt: skip


def in_page(html: str) -> str:
    return f"data:text/html,{quote(html, safe='')}"


def coded(text: str) -> str:
    return b64encode(text.encode()).decode()


TOKEN = "Tk3n-" + "x" * 38
HOME = "http://192.168.1.7/a.png"
# As a browser would find it, in a page.
HIDDEN = {
    "DATA:": lambda it: f"DATA:text/html,{quote(it, safe='')}",
    ";BASE64": lambda it: f"data:text/html;BASE64,{coded(it)}",
    "; base64": lambda it: f"data:text/html; base64,{coded(it)}",
    "blanks in base64": lambda it: f"data:text/html;base64,{' '.join(coded(it))}",
    "percent in base64": lambda it: f"data:text/html;base64,{quote(coded(it), safe='')}",
    "no padding": lambda it: f"data:text/html;base64,{coded(it).rstrip('=')}",
}  # fmt: skip
WRITTEN = [
    *("//192.168.1.7/a.png", "//nas.local/a.png", "//nas/a.png", "\\\\\\\\nas/a.png"),
    *("http:/192.168.1.7/a.png", "http:\\\\192.168.1.7\\a", "http:192.168.1.7/a"),
    *("http://127.1/", "http://0177.0.0.1/", "http://0x7f.1/", "http://2130706433/"),
    *("http://192.168.257/", "http://１９２.168.1.7/", "http://192。168。1。7/"),
    *("http://fritz.box/", "https://nas.lan/", "http://www.routerlogin.net/"),
    *("http://pc.home:81/", "http://nas.localdomain/", "ws://homeassistant:8123/"),
    *("http://me:pw@192.168.1.7/", "http://x@y@192.168.1.7/", "HTTP://NAS.LOCAL/"),
    *("https://my-home.example/", "https://MY-HOME.example:8443/local/a.png"),
    *("https://x.ui.nabu.casa/", "rtsp://192.168.1.7/", "http://nas.internal/"),
]
OWN = ("my-home.example", "x.ui.nabu.casa")


@pytest.mark.parametrize("hide", HIDDEN.values(), ids=HIDDEN)
def test_what_is_hidden(hide: Callable[[str], str]) -> None:
    """A lent address and one of the home are found as they are and decoded once; the owner may only confirm the home."""
    for text, words in (
        (f"a?token={TOKEN}&b", "private"),
        (f"<img src='{HOME}'>", "192.168"),
    ):
        document = with_item(source=hide(text))
        (fault,) = private_faults(document, OWN)
        assert fault.path in ("items[0].source", "items")
        if "no address" not in fault.message:
            assert words in fault.message
    document = {"note": {"text": hide(f"see <img src='{HOME}'>")}}
    assert private_faults(document, OWN)
    assert not private_faults(document, OWN, may_name_home=True)
    document = {"note": {"text": hide(f"see ?token={TOKEN}")}}
    assert private_faults(document, OWN, may_name_home=True)


@pytest.mark.parametrize("address", WRITTEN)
def test_how_an_address_is_written(address: str) -> None:
    """An address at home is one however it is written, and by any name; nothing is loaded from there, whoever confirms it."""
    page = {"note": {"text": f'<img src="{address}">'}}
    (fault,) = private_faults(page, OWN)
    assert fault.message.startswith("names ")
    assert not private_faults(page, OWN, may_name_home=True)
    assert private_faults({"coverImage": address}, OWN, may_name_home=True)


@pytest.mark.parametrize(
    "part", ["a", "%41", "Ab3/", '"//a.b', "http://art.example/a ", "a.", "data:,"]
)
def test_a_long_text(part: str) -> None:
    """Five megabytes are looked at once as they are, and once decoded."""
    text = part * (5_000_000 // len(part))
    for note in (text, f"data:text/html;base64,{coded(text)}"):
        assert private_faults({"note": {"text": note}}, OWN) == []


@pytest.mark.parametrize(("fields", "path"), DOCUMENTS)
async def test_nothing_private_is_published(
    hass: HomeAssistant,
    feed: FeedSimulator,
    library: MockConfigEntry,
    fields: dict[str, Any],
    path: str,
) -> None:
    """A document with an address at home, of lent media or with a secret header is refused with the path, and not sent."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(hass, "publish_playlist", playlist=playlist() | fields)
    assert caught.value.translation_key == "playlist_invalid"
    fault = (caught.value.translation_placeholders or {})["faults"]
    assert fault.partition(": ")[0] == path
    assert "s3cr3t" not in str(caught.value)
    assert not feed.documents


async def test_what_is_public_is_published(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """Pages, notes and queries that lead nowhere private are published as they are."""
    document = playlist() | {
        "coverImage": "https://art.example/cover.png",
        "note": {"text": "Nothing // private, see https://art.example"},
        "dynamicQuery": query(headers={"Accept": "application/json"}),
        **with_item(source=page("https://art.example/tide.png")),
    }
    await call(hass, "publish_playlist", playlist=document)
    (stored,) = feed.documents.values()
    assert stored["items"][0]["source"] == document["items"][0]["source"]


async def test_the_owner_confirms(
    hass: HomeAssistant, feed: FeedSimulator, library: MockConfigEntry
) -> None:
    """A program that names the home is published once the owner confirms it, and what is lent never, nor under our own name."""
    await async_process_ha_core_config(hass, {"external_url": "https://my.example"})
    own = "https://my.example:8443/local/a.png"
    for address, is_published in (("http://localhost:3000/", True), (LENT, False)):
        document = playlist() | with_item(source=page(address))
        with pytest.raises(ServiceValidationError) as caught:
            await call(hass, "publish_playlist", playlist=document)
        names = "allow_home_addresses" in str(caught.value)
        assert names is is_published
        confirmed = {"playlist": document, "allow_home_addresses": True}
        if is_published:
            await call(hass, "publish_playlist", **confirmed)
        else:
            with pytest.raises(ServiceValidationError):
                await call(hass, "publish_playlist", **confirmed)
        assert len(feed.documents) == 1
    document = playlist() | {"coverImage": own}
    with pytest.raises(ServiceValidationError, match="coverImage"):
        await call(hass, "publish_playlist", playlist=document)


async def test_what_a_display_adds_is_not_signed(
    hass: HomeAssistant,
    feed: FeedSimulator,
    library: MockConfigEntry,
    display: DisplaySimulator,
) -> None:
    """Of what a display reports, only fields of DP-1 are published, and a lent address in them is refused."""

    async def show(title: str, **fields: Any) -> None:
        """Let the display show a playlist by itself."""
        document = playlist(title, title=title, id=str(uuid4()), mood="x", **fields)
        added = {"spy": {"at": "home"}, "note": {"text": "A", "by": "B"}}
        document["items"][0] |= added
        display.player.load(document)
        await until(lambda: state_of(hass).attributes.get("media_title") == title)

    await show("Tide", coverImage=LENT)
    with pytest.raises(HomeAssistantError, match="coverImage"):
        await call(hass, "publish_playlist", entity_id=ENTITY_ID)
    assert not feed.documents
    await show("Dune")
    await call(hass, "publish_playlist", entity_id=ENTITY_ID)
    assert feed.documents
    sent = [json.loads(asked.body) for asked in feed.log if asked.method == "POST"]
    assert sent
    for document in sent:
        assert "mood" not in document
        assert "spy" not in document["items"][0]
        assert document["items"][0]["note"] == {"text": "A"}


def test_what_is_no_address_and_many_faults() -> None:
    """An address that is none is not at home, and no more faults are told than a person reads."""
    assert private_faults({"title": "http://[no"}) == []
    items = [
        {"source": f"http://192.168.1.{n % 250}/{n}"} for n in range(2 * MAX_FAULTS)
    ]
    assert len(private_faults({"items": items})) == MAX_FAULTS
