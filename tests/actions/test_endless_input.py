"""Nothing reads what has no end: a list is counted, and a text measured, before anything in it is looked at."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, override

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import voluptuous as vol

from custom_components.dp1.client.indexer.links import parse_link
from custom_components.dp1.client.playlist import signing
from custom_components.dp1.const import DOMAIN
from custom_components.dp1.display.discovery import parse_address
from custom_components.dp1.library.node import parse_media_id
from custom_components.dp1.library.search import MAX_LINES, Query, _Index, line_of
from custom_components.dp1.library.settings import _checked
from custom_components.dp1.llm import ShowArtTool
from custom_components.dp1.playback.request import MEDIA
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv

# What Home Assistant itself reads, and what is bounded where it is parsed.
OTHERS = {*map(str, cv.ENTITY_SERVICE_FIELDS), "playlist"}


class Watched(list[Any]):
    """A list that counts how many of its entries somebody looks at."""

    looked = 0

    @override
    def __iter__(self) -> Iterator[Any]:
        for entry in super().__iter__():
            self.looked += 1
            yield entry


def refused(schema: Any, field: str, value: Any) -> bool:
    """Return whether a schema finds fault with a field."""
    try:
        schema({field: value})
    except vol.MultipleInvalid as err:
        return any(field in error.path for error in err.errors)
    return False


@pytest.mark.parametrize("entry", [{}, "ab", 1], ids=["objects", "texts", "numbers"])
async def test_lists_without_end(
    hass: HomeAssistant, setup_display: MockConfigEntry, entry: Any
) -> None:
    """A million empty objects in `media`, 3 MB, took 7 s and 1.2 GB, each with an error of its own."""
    fields = [
        (service.schema, str(key))
        for service in hass.services.async_services_for_domain(DOMAIN).values()
        if service.schema is not None
        for key in _fields(service.schema)
        if str(key) not in OTHERS
    ]
    fields.append((ShowArtTool.parameters, "ids"))
    assert len(fields) > 60
    for schema, field in fields:
        endless = Watched([entry] * 5000)
        assert refused(schema, field, endless), field
        assert endless.looked <= 3, field


def test_media_are_bounded_together() -> None:
    """Each of a hundred media may be a page in its address, but not all of them of 1 MB, which took 88 MB."""
    pages = [f"data:text/html,{'x' * 1_000_000}"] * 4
    assert len(MEDIA(pages)) == 4
    with pytest.raises(vol.Invalid, match="together"):
        MEDIA(pages * 25)


LINK = "https://opensea.io/item/ethereum/0x495f947276749ce646f68ac8c248420045cb7b5e/1"


@pytest.mark.parametrize(
    ("read", "text", "more"),
    [
        (parse_link, LINK, "?a" + "=" * 5000),
        (parse_media_id, "media-source://dp1/entry/series/", "a" * 9000),
        (parse_address, "http://wall.example/", "a" * 500),
        (_checked, "https://feed.example/", "a" * 5000),
    ],
    ids=["link", "media id", "address of a display", "server"],
)
def test_long_texts(read: Callable[[str], Any], text: str, more: str) -> None:
    """A text that makes sense is refused if it is too long."""
    assert read(text)
    with suppress(ValueError):
        assert read(text + more) is None


def test_a_key_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is measured before it is decoded, which takes the square of its length."""
    decoded: list[str] = []
    monkeypatch.setattr(signing, "base58_decode", decoded.append)
    with pytest.raises(ValueError, match="did:key"):
        signing.public_key_from_did("did:key:z6Mk" + "a" * 5000)
    assert not decoded


def test_a_name_that_fits_all() -> None:
    """Of a hundred thousand lines that fit, few are scored, and of a long query only its start."""
    names = [f"Noon {number}" for number in range(10 * MAX_LINES)]
    index = _Index(names, lambda name: [line_of(name)])
    assert len(index.find(Query.of("noon"))) == MAX_LINES
    assert len(Query.of("noon " * 1000).text) <= 200


def _fields(schema: Any) -> list[Any]:
    """Return the fields of a schema, also of one among other conditions."""
    if isinstance(schema, vol.All):
        return [key for part in schema.validators for key in _fields(part)]
    found = getattr(schema, "schema", {})
    return list(found) if isinstance(found, dict) else _fields(found)
