"""Test a screen that is added while nothing can be written."""

from unittest.mock import patch

from custom_components.dp1.storage import SafeStore
from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError

from .conftest import Page


async def test_the_code_is_not_used_up(hass: HomeAssistant, page: Page) -> None:
    """The dialog says that the disk is full, and the same code is taken once it is not."""
    code = (await page.open())["code"]
    flows = hass.config_entries.flow
    flow = await flows.async_init("dp1", context={"source": SOURCE_USER})
    flow = await flows.async_configure(flow["flow_id"], {"next_step_id": "screen"})
    answers = {"code": code, "name": "Tablet"}
    full = patch.object(SafeStore, "async_save_now", side_effect=HomeAssistantError)
    with full:
        flow = await flows.async_configure(flow["flow_id"], answers)
    assert flow["errors"] == {"base": "not_saved"}
    result = await flows.async_configure(flow["flow_id"], answers)
    assert result["type"] == "create_entry"
