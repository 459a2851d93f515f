"""Run a simulated display from the command line."""

import argparse
from typing import Any

from .faults import FaultKind
from .firmware import Profile
from .player import Page
from .simulator import DisplaySimulator

from tests.simulators.run import run


def _arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulators.display", description=__doc__
    )
    parser.add_argument(
        "--profile",
        choices=[profile.value for profile in Profile],
        default=Profile.B.value,
        help="generation of firmware (B); A1 is the last of the first generation",
    )
    parser.add_argument("--version", help="of the firmware (the last of the profile)")
    parser.add_argument("--id", default="FF1-SIM00001", help="serial (FF1-SIM00001)")
    parser.add_argument("--name", default="", help="what the owner calls it")
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, default=1111, help="port to listen at (1111; 0: any)"
    )
    parser.add_argument(
        "--mdns",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="announce it on the network (yes)",
    )
    parser.add_argument(
        "--address", default="127.0.0.1", help="IP address to announce (127.0.0.1)"
    )
    parser.add_argument(
        "--poll-interval",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="between two looks at what to tell (5)",
    )
    parser.add_argument("--wired", action="store_true", help="on Ethernet")
    _add_troubles(parser)
    return parser.parse_args()


def _add_troubles(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for faults and other troubles."""
    group = parser.add_argument_group("troubles")
    group.add_argument(
        "--no-internet",
        action="store_true",
        help="no internet: the device status takes 30 s, then its answer is cut",
    )
    group.add_argument(
        "--page",
        choices=_PAGES,
        default="playlist",
        help="page it stands on: setup answers 204, blank and dead answer 500 without a reason, "
        "service_failed and overheating are error pages that ignore casts until it is woken",
    )
    for name, text in (
        ("status", "time of the device status; after 30 s the answer is cut"),
        ("fetch", "time that the host of a playlist takes"),
        ("load", "time that a work takes to load"),
    ):
        group.add_argument(
            f"--{name}-seconds", type=float, default=0.0, metavar="SECONDS", help=text
        )
    group.add_argument(
        "--no-render-status",
        action="store_true",
        help="notifications without renderStatus, as firmware 1.x (2.x has it)",
    )
    group.add_argument(
        "--no-refresh",
        action="store_true",
        help="the player does not know refresh: an extended list starts again",
    )
    group.add_argument(
        "--fault",
        action="append",
        default=[],
        type=_fault,
        metavar="KIND[:WHERE[:SECONDS]]",
        help=f"answer badly: {', '.join(FaultKind)}; to a command or a /route, or to all (may be repeated)",
    )


_PAGES = {
    "playlist": Page.PLAYLIST,
    "sleep": Page.SLEEP,
    "setup": Page.SETUP,
    "blank": Page.BLANK,
    "dead": Page.PLAYLIST,
    "service_failed": Page.ERROR,
    "overheating": Page.ERROR,
}


def _fault(text: str) -> dict[str, Any]:
    kind, _, rest = text.partition(":")
    where, _, seconds = rest.partition(":")
    return {
        "kind": FaultKind(kind),
        "route" if where.startswith("/") else "command": where,
        **({"seconds": float(seconds)} if seconds else {}),
    }


def _display(options: argparse.Namespace) -> DisplaySimulator:
    """Return the display that the command line describes."""
    display = DisplaySimulator(
        options.profile,
        options.id,
        options.name,
        version=options.version,
        host=options.host,
        port=options.port,
        poll_interval=options.poll_interval,
        wired=options.wired,
        mdns=options.mdns,
        mdns_address=options.address,
        status_seconds=options.status_seconds or 30.0 * options.no_internet,
        fetch_seconds=options.fetch_seconds,
        load_seconds=options.load_seconds,
        push_render_status=False if options.no_render_status else None,
        takes_refresh=not options.no_refresh,
        internet=not options.no_internet,
    )
    for fault in options.fault:
        display.inject(**fault)
    return display


def _go_to(display: DisplaySimulator, page: str) -> None:
    """Show the page that the command line names."""
    if page == "dead":
        display.break_page()
    elif page == "overheating":
        display.overheat()
    else:
        display.show_page(_PAGES[page], page)


if __name__ == "__main__":
    arguments = _arguments()
    simulator = _display(arguments)
    run(
        f"Display ({arguments.profile})",
        simulator,
        lambda: _go_to(simulator, arguments.page),
    )
