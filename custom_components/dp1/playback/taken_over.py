"""Files of an earlier version, which are taken over once: all displays were in one, and the history of each in another.

They stay as they are, for whoever goes back to that version.
"""

from collections.abc import Mapping
from typing import Any

from homeassistant.core import HomeAssistant

from ..client.values import mapping
from ..const import CONF_KIND, DOMAIN, EntryKind
from ..display.wall import async_wall
from ..storage import SafeStore

type Json = Mapping[str, Any]
type Members = list[list[str]]
type Offsets = list[dict[str, int]]


async def async_take_over(hass: HomeAssistant) -> tuple[Members, Offsets]:
    """Give each display its file; return the groups and the spreads that were stored with them."""
    old = SafeStore[Json](hass, "displays", dict)
    stored = await old.async_load_parsed() or {}
    records = {key: mapping(value) for key, value in stored.items()}
    for entry in hass.config_entries.async_entries(DOMAIN):
        if entry.data.get(CONF_KIND) != EntryKind.DISPLAY:
            continue
        history = SafeStore[Json](hass, f"history.{entry.entry_id}", dict)
        entries = (await history.async_load_parsed() or {}).get("entries")
        notes = map(_of_today, records.get(entry.entry_id, {}).items())
        if fields := {**dict(notes), **({"history": entries} if entries else {})}:
            await async_wall(hass, entry.entry_id).async_write(fields)
    return _groups(records), _spreads(records)


def _groups(records: Mapping[str, Json]) -> Members:
    """Return the groups, the leader first."""
    groups = []
    for leader in records:
        members = [it for it in records if records[it].get("leader") == leader]
        if leader in members and len(members) > 1:
            groups.append([*dict.fromkeys((leader, *members))])
    return groups


def _spreads(records: Mapping[str, Json]) -> Offsets:
    """Return the spreads that two displays or more still agree on."""
    spreads: Offsets = []
    for record in records.values():
        spread = record.get("spread")
        if not isinstance(spread, list):
            continue
        those = {
            it: place
            for place, it in enumerate(spread)
            if mapping(records.get(it)).get("spread") == spread
        }
        if len(those) > 1 and those not in spreads:
            spreads.append(those)
    return spreads


def _of_today(note: tuple[str, Any]) -> tuple[str, Any]:
    """Return a note as it is stored today: an announcement had playlists instead of what hangs."""
    match note:
        case "announcement", {"playlist": cast, "until": at, **rest}:
            new = {"hung": {"cast": cast, "cast_at": at}, "until": at}
            return "announcement", new | {
                key: _snapshot_of_today(value, at)
                if key in ("before", "earlier")
                else value
                for key, value in rest.items()
            }
    return note


def _snapshot_of_today(snapshot: Any, at: str) -> Any:
    """Return a snapshot as it is stored today."""
    match snapshot:
        case {"asleep": asleep, "playlist": cast, **rest}:
            hung = {"cast": cast, "cast_at": at, "start": rest.get("start", {})}
            return {"hung": hung if cast else None, "asleep": asleep}
    return snapshot
