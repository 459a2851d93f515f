"""No action reads what has no end: a list is counted before anything in it is looked at."""

from collections.abc import Iterator
from typing import Any, override

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
import voluptuous as vol

from custom_components.dp1.const import DOMAIN
from custom_components.dp1.llm import ShowArtTool
from custom_components.dp1.playback.compose import MEDIA
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv

# What Home Assistant itself reads, and what is bounded where it is parsed.
OTHERS = {*map(str, cv.ENTITY_SERVICE_FIELDS), "playlist"}


class Watched(list[Any]):
    """A list that counts how many of its entries somebody looks at."""

    looked = 0

    @override
    def __iter__(self) -> Iterator[Any]:
        """Iterate, and count."""
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


def _fields(schema: Any) -> list[Any]:
    """Return the fields of a schema, also of one among other conditions."""
    if isinstance(schema, vol.All):
        return [key for part in schema.validators for key in _fields(part)]
    found = getattr(schema, "schema", {})
    return list(found) if isinstance(found, dict) else _fields(found)
