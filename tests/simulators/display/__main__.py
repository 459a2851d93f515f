"""Run a simulated display by itself."""

import argparse

from .firmware import Profile
from .simulator import DisplaySimulator

from tests.simulators.run import run


def _arguments() -> argparse.Namespace:
    """Read the command line."""
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
    return parser.parse_args()


def _display(options: argparse.Namespace) -> DisplaySimulator:
    """Make the display that the command line describes."""
    return DisplaySimulator(
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
    )


if __name__ == "__main__":
    arguments = _arguments()
    run(f"Display ({arguments.profile})", _display(arguments))
