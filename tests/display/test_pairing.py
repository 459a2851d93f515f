"""Test a display that wants to be paired, or is newer than this integration."""

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.dp1.display import connection
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er, issue_registry as ir

from ..displays import DEVICE_ID, ENTITY_ID, playlist, set_up, state_of, until
from ..flows import announce, announcement, begin, fill
from ..simulators.display import DisplaySimulator

ISSUE = ("dp1", f"wants_pairing_{DEVICE_ID}")
WAYS = ("401", "426", "https")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten delays."""
    monkeypatch.setattr(connection, "LAST_RETRY_WITHOUT_SOCKET", 0.5)


@pytest.mark.parametrize("how", WAYS)
async def test_told_once_and_back_without_a_hand(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    issue_registry: ir.IssueRegistry,
    how: str,
) -> None:
    """There is one issue and no entity less, and all is well when it answers again."""
    display.player.load(playlist("Dawn"))
    await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
    entities = set(er.async_get(hass).entities)
    await display.demand_pairing(how)
    await until(lambda: not setup_display.runtime_data.connection.connected)
    await setup_display.runtime_data.async_refresh()
    await until(lambda: state_of(hass).state == "unavailable")
    assert issue_registry.async_get_issue(*ISSUE)
    with pytest.raises(HomeAssistantError) as caught:
        await hass.services.async_call(
            "dp1",
            "cast_playlist",
            {"entity_id": ENTITY_ID, "playlist": playlist("Noon")},
            blocking=True,
        )
    assert caught.value.translation_key == "display_wants_pairing"
    assert set(er.async_get(hass).entities) >= entities
    await display.stop_pairing()
    await until(lambda: state_of(hass).attributes.get("media_title") == "Dawn")
    assert issue_registry.async_get_issue(*ISSUE) is None


@pytest.mark.parametrize("how", WAYS)
async def test_set_up_and_added(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    issue_registry: ir.IssueRegistry,
    how: str,
) -> None:
    """At start there is an issue until the entry is removed; the form and a discovery say the same."""
    await display.demand_pairing(how)
    form = await begin(hass, "display")
    result = await fill(hass, form, host=f"{display.host}:{display.port}")
    assert result["errors"] == {"host": "wants_pairing"}
    result = await announce(hass, announcement(display.host, display.port))
    assert result["reason"] == "wants_pairing"
    await set_up(hass, display_entry)
    assert display_entry.state is ConfigEntryState.SETUP_RETRY
    assert display_entry.error_reason_translation_key == "display_wants_pairing"
    assert issue_registry.async_get_issue(*ISSUE)
    await hass.config_entries.async_remove(display_entry.entry_id)
    assert issue_registry.async_get_issue(*ISSUE) is None
    await display.stop_pairing()


async def test_announced_as_newer(
    hass: HomeAssistant,
    display: DisplaySimulator,
    setup_display: MockConfigEntry,
    issue_registry: ir.IssueRegistry,
) -> None:
    """An interface that nobody knows counts once the display does not answer anymore."""

    newer = announcement(display.host, display.port, api="3")
    await announce(hass, newer)
    assert issue_registry.async_get_issue(*ISSUE) is None
    await display.refuse()
    await announce(hass, newer)
    assert issue_registry.async_get_issue(*ISSUE)
    assert state_of(hass).state == "unavailable"
