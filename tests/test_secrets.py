"""Test that keys are only sent to their server and never shown."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator
import json
import logging
import traceback
from typing import Any

import pytest
from pytest_homeassistant_custom_component.components.diagnostics import (
    get_diagnostics_for_config_entry,
)
from pytest_homeassistant_custom_component.typing import (
    ClientSessionGenerator,
    WebSocketGenerator,
)

from homeassistant.config_entries import SOURCE_RECONFIGURE, ConfigEntry
from homeassistant.core import Event, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component

from .client.timing import impatient
from .flows import begin, begin_options, fill, outcome
from .libraries import ID, playlist
from .simulators.feed import Cut, FeedSimulator

API_KEY = "sk-live-3kP0q7vN"
WRONG_KEY = "sk-test-wrong-9Zx"
IMPORTED = "c0ffee" * 10 + "beef"
# Every fault of a server that may involve the request.
FAULTS: tuple[dict[str, Any], ...] = (
    {"status": 400, "body": {"error": "bad_request", "message": f"Bearer {API_KEY}"}},
    {"status": 400, "body": {"error": "validation_error", "message": f"{API_KEY}: no"}},
    {
        "status": 401,
        "body": {"error": "unauthorized", "message": f"not {API_KEY}"},
    },
    {"status": 403, "body": f"<html>{API_KEY}"},
    {"status": 409, "body": {"error": API_KEY, "message": ""}},
    {"status": 500, "body": {"error": "internal_error", "message": API_KEY * 50}},
    {"status": 302, "headers": {"Location": f"/login?key={API_KEY}"}},
    {"status": 200, "body": {"id": 5, "key": API_KEY}},
    {"status": 200, "body": f"<html>{API_KEY}"},
    {"cut": Cut.BEFORE_BODY},
    {"cut": Cut.AFTER_BODY},
    {"cut": Cut.AFTER_DONE},
    {"cut": Cut.IN_ANSWER},
    {"delay": 60.0},
)
SCRIPT = {
    "publish": {
        "sequence": [
            {
                "action": "dp1.publish_playlist",
                "data": {"playlist": playlist(), "sign": "{{ sign }}"},
                "response_variable": "published",
            },
            {"stop": "done", "response_variable": "published"},
        ]
    }
}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten timeouts."""
    impatient(monkeypatch, 2.0)


@pytest.fixture
async def feed(socket_enabled: None) -> AsyncIterator[FeedSimulator]:
    async with FeedSimulator(api_key=API_KEY) as simulator:
        yield simulator


class Witness:
    """Records everything that is shown."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.seen: list[str] = []
        hass.bus.async_listen("*", self._on_event)

    async def _on_event(self, event: Event[Any]) -> None:
        self.keep(event.as_dict())

    def keep(self, thing: object) -> None:
        """Record something that was shown."""
        self.seen += [str(thing), repr(thing), json.dumps(thing, default=str)]

    async def act(self, domain: str, action: str, **data: Any) -> None:
        """Call an action, and record its response or error with its causes."""
        responds = action != "delete_playlist"
        try:
            self.keep(
                await self.hass.services.async_call(
                    domain, action, data, blocking=True, return_response=responds
                )
            )
        except HomeAssistantError as err:
            self.keep((str(err), repr(err), vars(err)))
            self.seen += traceback.format_exception(err)

    async def fill(self, form: Any, **values: str) -> Any:
        """Submit a form, and record the result without the user's own input."""
        result = await fill(self.hass, form, **values)
        own = ("data_schema", "data", "result", "subentries")
        self.keep({name: value for name, value in result.items() if name not in own})
        return result


def forms_of(seed: str) -> list[str]:
    """Return a signing key in every usable format."""
    raw = bytes.fromhex(seed)
    return [
        seed,
        seed.upper(),
        b64encode(raw).decode().rstrip("="),
        urlsafe_b64encode(raw).decode().rstrip("="),
        repr(raw)[2:-1],
    ]


async def test_keys_are_never_shown(
    hass: HomeAssistant,
    feed: FeedSimulator,
    hass_client: ClientSessionGenerator,
    hass_ws_client: WebSocketGenerator,
    issue_registry: ir.IssueRegistry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """No key is in states, events, logs, errors, diagnostics or forms."""
    caplog.set_level(logging.DEBUG)
    witness = Witness(hass)
    entry = await _add(hass, feed, witness)
    seeds = [entry.runtime_data.key.export(), IMPORTED]
    for component in ("diagnostics", "trace", "websocket_api"):
        assert await async_setup_component(hass, component, {})
    assert await async_setup_component(hass, "script", {"script": SCRIPT})
    await _use(feed, witness)
    await _change(hass, entry, witness)
    assert entry.runtime_data.key.export() == IMPORTED
    await _use(feed, witness)
    witness.keep(await get_diagnostics_for_config_entry(hass, hass_client, entry))
    witness.keep(await _traces(hass, hass_ws_client))
    witness.keep([state.as_dict() for state in hass.states.async_all()])
    witness.keep(repr(vars(entry.runtime_data)))
    await hass.config_entries.async_remove(entry.entry_id)
    assert issue_registry.issues
    witness.keep(list(issue_registry.issues.values()))
    # The mocked storage logs what it stores, unlike the real one.
    lines = [
        f"{line.getMessage()} {line.exc_text}"
        for line in caplog.records
        if not line.name.startswith("pytest_homeassistant_custom_component")
    ]
    seen = "\n".join((*witness.seen, *lines))
    for what in (
        "published",
        "feed_authentication",
        "publish_playlist",
        "signing_key_removed",
    ):
        assert what in seen, (
            f"{what} was never seen: this test looks at the wrong things"
        )
    for secret in (
        API_KEY,
        WRONG_KEY,
        *(form for seed in seeds for form in forms_of(seed)),
    ):
        assert secret not in seen


async def _add(
    hass: HomeAssistant, feed: FeedSimulator, witness: Witness
) -> ConfigEntry[Any]:
    """Add a library, with a wrong key at first."""
    form = await begin(hass, "library")
    form = await witness.fill(form, feed_url=feed.url, api_key=WRONG_KEY)
    assert outcome(form) == {"api_key": "invalid_auth"}
    result = await witness.fill(form, feed_url=feed.url, api_key=API_KEY)
    entry: ConfigEntry[Any] = result["result"]
    return entry


async def _use(feed: FeedSimulator, witness: Witness) -> None:
    """Use all actions with and without faults, with both kinds of credentials."""
    for sign in (True, False):
        document = playlist()
        await witness.act("dp1", "publish_playlist", playlist=document, sign=sign)
        await witness.act("script", "publish", sign=sign)
        for fault in FAULTS:
            feed.fault(**fault, method="POST")
            await witness.act("dp1", "publish_playlist", playlist=document, sign=sign)
        feed.fault(**FAULTS[2], method="POST")
        await witness.act("script", "publish", sign=sign)
    for fault in (None, *FAULTS):
        if fault:
            feed.fault(**fault, method="DELETE")
        await witness.act("dp1", "delete_playlist", playlist_id=ID)
    await witness.act("dp1", "get_playlist", playlist_id=next(iter(feed.documents)))
    feed.faults.clear()


async def _change(
    hass: HomeAssistant, entry: ConfigEntry[Any], witness: Witness
) -> None:
    """Change API key, servers and signing key."""
    flow = hass.config_entries.flow
    (form,) = (
        record
        for record in flow.async_progress_by_handler("dp1")
        if record["context"]["source"] == "reauth"
    )
    for key in (WRONG_KEY, API_KEY):
        await witness.fill(form, api_key=key)
    context: Any = {"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    form = await flow.async_init("dp1", context=context)
    feed_url = entry.data["feed_url"]
    for key in (WRONG_KEY, API_KEY):
        await witness.fill(form, feed_url=feed_url, api_key=key)
    form = await begin_options(hass, entry.entry_id, "import_key")
    for key in (f"{IMPORTED}{IMPORTED}", IMPORTED):
        await witness.fill(form, signing_key=key)


async def _traces(hass: HomeAssistant, hass_ws_client: WebSocketGenerator) -> list[Any]:
    """Return all traces of the script."""
    client = await hass_ws_client(hass)

    async def ask(command: str, **data: str) -> Any:
        message = {"type": f"trace/{command}", "domain": "script", **data}
        await client.send_json_auto_id(message)
        return (await client.receive_json())["result"]

    runs = await ask("list")
    assert len(runs) > 2
    ids = [{name: run[name] for name in ("item_id", "run_id")} for run in runs]
    return [await ask("get", **each) for each in ids]
