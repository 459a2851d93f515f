"""Run a simulated catalog from the command line."""

import argparse

from .faults import FaultKind
from .simulator import OWN_MEDIA, PAGE_LIMIT, CatalogSimulator

from tests.simulators.run import run


def _arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulators.catalog", description=__doc__
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument("--port", type=int, default=8780, help="port; 0 for any")
    parser.add_argument(
        "--latency", type=float, default=0.0, help="seconds until a list is answered"
    )
    parser.add_argument(
        "--page-limit", type=int, default=PAGE_LIMIT, help="most records of a page"
    )
    parser.add_argument(
        "--media-base",
        default=OWN_MEDIA,
        help="address before every path of a picture or work; 'own' for this server, empty to leave them relative",
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        choices=list(FaultKind),
        help="what goes wrong; may be repeated",
    )
    return parser.parse_args()


def _catalog(options: argparse.Namespace) -> CatalogSimulator:
    """Return the catalog that the command line describes."""
    simulator = CatalogSimulator(
        options.host,
        options.port,
        latency=options.latency,
        media_base=options.media_base or None,
        page_limit=options.page_limit,
    )
    for kind in options.fault:
        simulator.inject(kind)
    return simulator


if __name__ == "__main__":
    run("Catalog", _catalog(_arguments()))
