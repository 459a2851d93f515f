"""Test works on the wall while gateways end: a transcript beside the simulated check and player."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from custom_components.dp1.client.hosts import GATEWAYS
from custom_components.dp1.hosts import HOSTS
from homeassistant.components import persistent_notification
from homeassistant.exceptions import HomeAssistantError

from tests.displays import playlist, settle, until
from tests.simulators.display import FaultKind
from tests.simulators.gateway import CID, ID, Internet, Mode
from tests.timing import set_timing
from tests.walls import Wall

OF_ARWEAVE = f"https://arweave.net/{ID}"
FIRST, SECOND = "ipfs.filebase.io", "ipfs.hypha.coop"
NEW = "cdn.artworks.feralfile.io"
PICTURE, PAGE = "a.png", ""
LIST = f"https://{NEW}/list.json"
MEDIUM = {"media_content_type": "", "media_content_id": LIST}
ENTRANCES: dict[str, tuple[str, dict[str, Any]]] = {
    "address": ("dp1.cast_playlist", {"playlist_url": LIST}),
    "for a time": ("dp1.cast_playlist", {"playlist_url": LIST, "show_for": 60}),
    "player": ("play_media", MEDIUM),
    "announce": ("play_media", {**MEDIUM, "announce": True}),
}


@pytest.fixture
async def wall(internet: Internet, bare: Wall) -> AsyncIterator[Wall]:
    """A display that loads its works from that internet."""
    # However slow the machine is.
    set_timing(title_timeout=30.0)
    async with internet.session() as session:
        for part in (bare.display.caster, bare.display._painter):
            before, part.session = part.session, session
            assert before is not None
        await bare.set_up()
        yield bare
        bare.display.caster.session = bare.display._painter.session = before


async def cast(wall: Wall, name: str, **data: Any) -> None:
    """Show a work by an address that ended long ago, or by another one."""
    document = playlist("Work")
    document["items"][0]["source"] = (
        name if "://" in name else f"https://ipfs.io/ipfs/{CID}/{name}"
    )
    await wall.do("dp1.cast_playlist", playlist=document, **data)


def at(wall: Wall) -> str:
    """Return the gateway of the work on the wall, and as what it is seen."""
    host = wall.display.state.items[0]["source"].split("/")[2]
    return f"{host.partition('.ipfs.')[2] or host} {wall.display.sees}"


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize(
    ("name", "kind", "hosts", "mode"),
    [
        (PICTURE, "image", (FIRST, SECOND), Mode.ENDS),
        (PICTURE, "image", (FIRST, SECOND), None),
        (PAGE, "web", (SECOND, FIRST), Mode.FAILS),
        (PAGE, "web", (SECOND, FIRST), Mode.LISTS),
        (OF_ARWEAVE, "image", ("turbo-gateway.com", "ardrive.net"), Mode.LIMITS),
    ],
)
async def test_the_first_ends_in_the_middle(
    internet: Internet,
    wall: Wall,
    name: str,
    kind: str,
    hosts: tuple[str, str],
    mode: Mode | None,
) -> None:
    """What fails, and what the display is silent about, is tried at the next gateway; the next cast goes there at once."""
    first, second = hosts
    if mode is None:
        del internet.hosts[first]
    else:
        internet.hosts[first] = mode
    await cast(wall, name)
    await until(lambda: at(wall) == f"{second} {kind}")
    starts = wall.display.counters.starts
    assert starts == 2
    await cast(wall, name)
    await until(lambda: at(wall) == f"{second} {kind}")
    assert wall.display.counters.starts == starts + 1
    assert wall.attribute("dp1")["silent_host"] is None
    assert not [it for it in internet.asked if "arweave.net" in it]


@pytest.mark.parametrize("profile", ["B"])
async def test_the_last_gateway_of_arweave(internet: Internet, wall: Wall) -> None:
    """Where all others rest, a work is still shown from it."""
    for gateway in GATEWAYS["ar"][:-1]:
        wall.hass.data[HOSTS].note(gateway.url, 429, 900.0)
    await cast(wall, OF_ARWEAVE)
    await until(lambda: at(wall) == "arweave.net image")
    assert wall.display.counters.starts == 1


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", [PICTURE, PAGE])
async def test_all_gateways_end(internet: Internet, wall: Wall, name: str) -> None:
    """One other is tried, and then the reason is told: by the display of a picture, by us of a web work."""
    for gateway in GATEWAYS["ipfs"]:
        internet.hosts[gateway.host] = Mode.ENDS
    await cast(wall, name)
    if name == PICTURE:
        await until(lambda: wall.coordinator.data.problem == "render_failed")
    else:
        await until(lambda: wall.attribute("dp1")["silent_host"] is not None)
        assert wall.coordinator.data.problem == "host_silent"
    await until(lambda: wall.display.counters.starts == 2)
    assert wall.display.sees == ""
    assert wall.hass.data[HOSTS].best(f"ipfs://{CID}/{name}")


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("why", ["message", "another", "refused"])
async def test_nothing_else_is_shown(internet: Internet, wall: Wall, why: str) -> None:
    """A work that ends while it hangs is shown elsewhere, but not in a message, over what a phone shows, or if it is refused."""
    await cast(
        wall, PICTURE, **({"show_for": {"hours": 1}} if why == "message" else {})
    )
    await until(lambda: at(wall) == f"{FIRST} image")
    display, simulator = wall.coordinator, wall.display
    del internet.hosts[FIRST]
    if why == "refused":
        fault = simulator.inject(FaultKind.STATUS, command="displayPlaylist")
    # Whatever is sent waits for its turn.
    async with display.wall.turn():
        simulator.player.handle("refreshArtwork", {})
        await until(lambda: display.data.problem == "render_failed")
        starts = simulator.counters.starts
        if why == "another":
            await wall.load(playlist("Phone", title="Phone"))
    await settle(simulator)
    if why == "another":
        assert wall.attribute("media_title") == "Phone"
    else:
        assert display.data.problem == "render_failed"
        assert at(wall).startswith(FIRST)
    if why == "refused":
        await until(lambda: fault.hits)
    async with display.wall.turn():
        assert simulator.counters.starts == starts


@pytest.mark.parametrize("profile", ["B"])
@pytest.mark.parametrize("name", ENTRANCES)
async def test_the_list_itself(internet: Internet, wall: Wall, name: str) -> None:
    """An address of a list that is gone, or has an archive, is refused and not sent; of one that fails or is silent, the reason is told."""
    action, data = ENTRANCES[name]

    async def show(*, fails: bool = False) -> str:
        """Show the list, and return what is said about it; the display may find out by itself that it fails."""
        starts = wall.display.counters.starts
        persistent_notification.async_dismiss(wall.hass, "dp1_warning")
        try:
            answer = await wall.do(action, **data, response=action.startswith("dp1"))
        except HomeAssistantError as err:
            assert wall.display.counters.starts in (starts, starts + fails)
            return f"refused: {err}"
        if answer is not None:
            return str(answer.get("warning", ""))
        notices = persistent_notification._async_get_or_create_notifications(wall.hass)
        notice: Any = notices.get("dp1_warning", {})
        return str(notice.get("message", "")).replace("\\", "")

    assert "There is nothing at" in await show()
    internet.works[f"{NEW}/list.json"] = "application/zip", b"PK"
    told = await show()
    assert told.startswith("refused") and "of a type" in told
    internet.hosts[NEW] = Mode.FAILS
    assert LIST in await show(fails=True)
    del internet.hosts[NEW]
    assert LIST in await show(fails=True)
