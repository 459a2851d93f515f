"""Test the issue for a display that does not wake."""

import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.dp1.display import power as module
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from tests.displays import DEVICE_ID, set_up, until
from tests.simulators.display import DisplaySimulator, FaultKind
from tests.timing import FAST, Timing

ISSUE = ("dp1", f"wakes_not_{DEVICE_ID}")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    monkeypatch.setattr(module, "SLEEP_CHECKS", 2)


@pytest.fixture
def timing() -> Timing:
    """Shorten more delays."""
    return dict(FAST, loss_patience=0.2, first_retry=0.02, push_patience=0.05)


async def wake(hass: HomeAssistant) -> None:
    target = {"entity_id": "media_player.wall"}
    await hass.services.async_call("media_player", "turn_on", target, blocking=True)


async def fail_to_wake(hass: HomeAssistant, times: int) -> None:
    """Wake the display and expect a failure."""
    for _ in range(times):
        with pytest.raises(HomeAssistantError):
            await wake(hass)


@pytest.fixture
async def deaf(
    hass: HomeAssistant, display: DisplaySimulator, display_entry: MockConfigEntry
) -> None:
    """Put the display to sleep and make it ignore wake commands."""
    display.server.gate = None
    display.player.page = type(display.player.page).SLEEP
    await set_up(hass, display_entry)
    display.player.turn_page = lambda *, asleep: None  # type: ignore[method-assign]


@pytest.mark.usefixtures("deaf")
async def test_told_after_the_third_time(
    hass: HomeAssistant, display: DisplaySimulator, issue_registry: ir.IssueRegistry
) -> None:
    """An issue is created after three failures in a row, and removed when the display wakes."""
    await fail_to_wake(hass, 2)
    assert issue_registry.async_get_issue(*ISSUE) is None
    await fail_to_wake(hass, 1)
    issue = issue_registry.async_get_issue(*ISSUE)
    assert issue is not None
    assert issue.translation_placeholders == {"name": "Wall"}
    assert issue.is_fixable
    del display.player.turn_page
    await wake(hass)
    assert issue_registry.async_get_issue(*ISSUE) is None


@pytest.mark.usefixtures("deaf")
async def test_repaired_by_a_restart(
    hass: HomeAssistant,
    display: DisplaySimulator,
    hass_client: ClientSessionGenerator,
    issue_registry: ir.IssueRegistry,
) -> None:
    """The repair restarts the display, reports a failure, and shows no link in a display's name."""
    assert await async_setup_component(hass, "repairs", {})
    entry = hass.config_entries.async_entries("dp1")[0]
    entry.runtime_data.name = "[Wall](https://evil.example)"
    await fail_to_wake(hass, 3)
    client = await hass_client()
    answer = await client.post(
        "/api/repairs/issues/fix", json={"handler": "dp1", "issue_id": ISSUE[1]}
    )
    form = await answer.json()
    assert form["step_id"] == "confirm"
    assert form["description_placeholders"] == {
        "name": r"\[Wall\]\(https\:\/\/evil\.example\)"
    }
    url = f"/api/repairs/issues/fix/{form['flow_id']}"
    fault = display.inject(FaultKind.STATUS, command="reboot")
    form = await (await client.post(url, json={})).json()
    assert form["errors"] == {"base": "cannot_restart"}
    assert fault.hits
    display.heal()
    result = await (await client.post(url, json={})).json()
    assert result["type"] == "create_entry"
    assert "reboot" in display.commands
    assert issue_registry.async_get_issue(*ISSUE) is None


@pytest.mark.usefixtures("deaf")
async def test_a_success_in_between(
    hass: HomeAssistant, display: DisplaySimulator, issue_registry: ir.IssueRegistry
) -> None:
    await fail_to_wake(hass, 2)
    broken = display.player.turn_page
    del display.player.turn_page
    await wake(hass)
    display.player.turn_page = broken  # type: ignore[method-assign]
    display.player.page = type(display.player.page).SLEEP
    await until(lambda: hass.states.get("media_player.wall").state == "off")
    await fail_to_wake(hass, 2)
    assert issue_registry.async_get_issue(*ISSUE) is None


@pytest.mark.usefixtures("deaf")
async def test_a_display_that_is_away(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    issue_registry: ir.IssueRegistry,
) -> None:
    """An unreachable display does not count as a failure to wake."""
    await display.refuse()
    for _ in range(3):
        with pytest.raises(HomeAssistantError):
            await display_entry.runtime_data.power.async_set_asleep(False)
    assert issue_registry.async_get_issue(*ISSUE) is None


@pytest.mark.usefixtures("deaf")
async def test_gone_with_the_entry(
    hass: HomeAssistant,
    display: DisplaySimulator,
    display_entry: MockConfigEntry,
    issue_registry: ir.IssueRegistry,
) -> None:
    display.inject(FaultKind.STATUS, command="wakeNow", status=500)
    await fail_to_wake(hass, 3)
    assert issue_registry.async_get_issue(*ISSUE) is not None
    await hass.config_entries.async_remove(display_entry.entry_id)
    assert issue_registry.async_get_issue(*ISSUE) is None
