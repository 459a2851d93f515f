"""Helpers for tests of actions: to call them, and to have them fail."""

from typing import Any

import pytest

from homeassistant.core import Context, HomeAssistant, SupportsResponse
from homeassistant.exceptions import HomeAssistantError

from tests.displays import ENTITY_ID
from tests.simulators.feed import FeedSimulator


async def call(
    hass: HomeAssistant,
    action: str,
    *,
    respond: bool = True,
    context: Context | None = None,
    **data: Any,
) -> Any:
    """Call an action, and return its response if it has one."""
    responds = hass.services.supports_response("dp1", action)
    return await hass.services.async_call(
        "dp1",
        action,
        data,
        blocking=True,
        context=context,
        return_response=respond and responds is not SupportsResponse.NONE,
    )


async def failure(
    hass: HomeAssistant, action: str, *, of: type = HomeAssistantError, **data: Any
) -> tuple[str | None, dict[str, str]]:
    """Call an action, and return the key and the placeholders of its error."""
    with pytest.raises(of) as caught:
        await call(hass, action, **data)
    assert caught.value.translation_domain == "dp1"
    return caught.value.translation_key, caught.value.translation_placeholders or {}


async def cast(hass: HomeAssistant, **data: Any) -> dict[str, Any]:
    """Cast to the display, and return what its response says."""
    response = await call(hass, "cast_playlist", entity_id=ENTITY_ID, **data)
    told: dict[str, Any] = response[ENTITY_ID]
    return told


def writes(feed: FeedSimulator) -> list[str]:
    """Return the methods with which a feed was written."""
    return [asked.method for asked in feed.log if asked.method not in ("GET", "HEAD")]


def reauth_flows(hass: HomeAssistant) -> list[str]:
    flows = hass.config_entries.flow.async_progress_by_handler("dp1")
    return [flow["step_id"] for flow in flows if flow["context"]["source"] == "reauth"]
