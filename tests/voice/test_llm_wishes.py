"""Wishes of a household, done by the tools of language models alone."""

from pathlib import Path
from typing import Any

import pytest

from custom_components.dp1.client.catalog.artwork import exhibition_page
from homeassistant.core import HomeAssistant
from homeassistant.helpers.llm import ToolInput

from .home import Home, table
from .test_llm import instance

from tests.displays import until

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.fixture
def expected_lingering_timers() -> bool:
    """Announcements wait for their end."""
    return True


async def test_household(hass: HomeAssistant, tmp_path: Path) -> None:
    """Twenty wishes are done: found, chosen, shown for a time, described, kept and controlled."""
    async with Home.of(hass, tmp_path, "en", table("en")["names"]) as home:
        api = await instance(hass, home)
        wall, easel = home.here, home.there

        async def call(name: str, **args: Any) -> dict[str, Any]:
            """Call a tool as a model does; every answer marks texts of strangers once and briefly."""
            result = await api.async_call_tool(ToolInput(f"dp1__{name}", args))
            data: Any = getattr(result, "data", result)
            assert len(data["notice"]) < 50
            assert bool(getattr(result, "error", False)) is ("error" in data)
            return dict(data)

        def shows(display: Any) -> str:
            return str((display.state.playlist or {}).get("title"))

        # What is there? The newest first.
        listed = (await call("find_art"))["results"]
        newest = listed[0]
        assert {found["kind"] for found in listed} == {"exhibition"}
        # Show the newest, by its id.
        await call("show_art", ids=[newest["id"]])
        assert shows(wall) == newest["title"]
        assert "newest" not in newest["title"]
        # Something else on all displays.
        await call("show_art", choice="other", scope="all")
        assert shows(easel) != newest["title"]
        # By a misspelt artist.
        found = (await call("find_art", artist="Ines Hadad"))["results"]
        assert found
        assert all("Ines Haddad" in f.get("artist", f["title"]) for f in found)
        # By kind and year.
        year = int(newest["year"])
        dated = (await call("find_art", year=year))["results"]
        assert {result["year"] for result in dated} == {str(year)}
        series = (await call("find_art", artist="Ines Haddad", kind="series"))[
            "results"
        ]
        assert {result["kind"] for result in series} == {"series"}
        # Notes make "with flowers" answerable, and are cut.
        assert any(result.get("note") for result in (*listed, *series))
        assert all(len(result.get("note", "")) <= 160 for result in listed)
        # A series on the easel for two hours, then for longer.
        await call("show_art", ids=[series[0]["id"]], display="easel", minutes=120)
        assert series[0]["title"] in shows(easel)
        longer = await call(
            "control_display", action="extend", display="Easel", minutes=30
        )
        assert "until" in longer["answer"]
        # Everything by an artist, said so.
        told = await call(
            "show_art", what="Jun Joubert", kind="everything", area="study"
        )
        assert told["answer"].startswith("Everything I know by Jun Joubert")
        await call("show_art", what="Net Evil", display="Big Wall")
        await until(lambda: home.attribute(wall, "media_playlist") == "Net Evil")
        work = home.attribute(wall, "media_title")
        # What hangs in the living room? Who made it?
        described = (await call("describe_work", area="living room"))["works"]
        assert described[0]["title"] == work
        assert described[0]["artist"]
        # Keep it, show the favorites, forget it.
        await call("control_display", action="keep", display="big wall")
        assert [node.title for node in home.library.favorites.nodes()] == [work]
        await call("show_art", choice="favorites", display="Easel")
        await until(lambda: len(easel.state.items) == 1)
        await call("control_display", action="remove", area="Living Room")
        assert not home.library.favorites.nodes()
        # Next, stay, go on, label, brightness.
        await call("control_display", action="next", display="Big Wall")
        await until(lambda: wall.state.position == 1)
        await call("control_display", action="stay", display="Big Wall")
        assert wall.state.loop_mode == "one"
        await call("control_display", action="go_on", display="Big Wall")
        held = await call(
            "control_display", action="stay", display="Big Wall", minutes=30
        )
        assert held["answer"].endswith("on Big Wall for 30 minutes.")
        await until(lambda: len(wall.state.items) == 1)
        assert wall.state.current_title in held["answer"]
        await call("control_display", action="label_off", display="Big Wall")
        assert wall.state.settings["tombstone"] == "off"
        before = wall.device.panel.values["brightness"]
        await call("control_display", action="darker", display="Big Wall")
        assert wall.device.panel.values["brightness"] < before
        await call(
            "control_display", action="brightness", brightness=40, display="Big Wall"
        )
        assert wall.device.panel.values["brightness"] == 40
        # A library that does not know something says so, marked; an id of long ago is refused.
        assert "qwertz" in (await call("show_art", what="qwertz"))["error"]
        assert "id" in (await call("show_art", ids=["000000"]))["error"]
        # Good night, and good morning.
        await call("control_display", action="sleep", scope="all")
        assert wall.state.asleep
        assert easel.state.asleep
        await call("control_display", action="wake", scope="all")
        assert not wall.state.asleep
        # A source is selected whatever its case.
        await hass.services.async_call(
            "media_player",
            "select_source",
            {"entity_id": home.ids[wall.url], "source": "NET EVIL"},
            blocking=True,
        )
        assert shows(wall) == "Net Evil"
        (exhibition, *_) = home.library.catalog_server.list.records
        assert "/exhibitions/shows/" in (exhibition_page(exhibition) or "")
