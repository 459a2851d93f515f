"""What only a person at the display can mend."""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .const import DOMAIN

WAKES_TO_ISSUE: Final = 3


@callback
def async_manage_wakes(
    hass: HomeAssistant, display_id: str, name: str, failures: int
) -> None:
    """Tell the owner of a display that did not wake several times in a row, until it does.

    Args:
        hass: Home Assistant.
        display_id: id of the display.
        name: what its owner calls it.
        failures: how often in a row it did not wake.
    """
    issue_id = f"wakes_not_{display_id}"
    if failures >= WAKES_TO_ISSUE:
        ir.async_create_issue(
            hass,
            DOMAIN,
            issue_id,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="wakes_not",
            translation_placeholders={"name": name},
        )
    elif not failures:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
