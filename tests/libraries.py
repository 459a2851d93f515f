"""Helpers for tests of a library: its config entry, and documents to publish."""

from typing import Any

from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.client.playlist.document import build, build_item
from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant

SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"
ID = "385f79b6-a45f-4c1c-8080-e93a192adccc"


def library_entry(
    feed_url: str | None,
    catalog_url: str | None = None,
    *,
    api_key: str | None = None,
    options: dict[str, Any] | None = None,
    title: str = "Library",
) -> MockConfigEntry:
    data = {
        "kind": "library",
        "catalog_url": catalog_url,
        "feed_url": feed_url,
        "api_key": api_key,
        "signing_key": SEED,
    }
    return MockConfigEntry(
        domain="dp1",
        title=title,
        unique_id=feed_url or catalog_url,
        data=data,
        options=options or {},
    )


async def set_up(hass: HomeAssistant, entry: MockConfigEntry) -> MockConfigEntry:
    """Set up an entry, which is on the disk."""
    entry.add_to_hass(hass)
    hass.config_entries._async_schedule_save()
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


def playlist(**changes: Any) -> dict[str, Any]:
    """Return a playlist of two works."""
    items = [
        build_item("https://art.example/tide.html", title="Tide", duration=120),
        build_item("https://art.example/dune.mp4", title="Dune"),
    ]
    return {**build("Evening", items), **changes}


def suggested(form: ConfigFlowResult) -> dict[str, Any]:
    schema = form["data_schema"]
    assert schema is not None
    return {
        str(key): key.description["suggested_value"]
        for key in schema.schema
        if key.description
    }
