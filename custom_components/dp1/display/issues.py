"""Issues of a display, which a person finds under Repairs."""

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN


@callback
def set_issue(
    hass: HomeAssistant,
    key: str,
    device_id: str,
    name: str | None,
    is_fixable: bool = False,
) -> None:
    """Create an issue of the display with an id and a name; delete it without a name."""
    issue_id = f"{key}_{device_id}"
    if name is None:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        data={"device_id": device_id},
        is_fixable=is_fixable,
        severity=ir.IssueSeverity.WARNING,
        translation_key=key,
        translation_placeholders={"name": name},
    )
