"""Run a simulated feed from the command line."""

import argparse
from functools import partial
import json
import logging
from pathlib import Path

from .simulator import FeedSimulator

from tests.simulators.run import run

_PORTS = {"v2": 8788, "signed": 8789, "ts": 8787}


def _arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulators.feed", description=__doc__
    )
    parser.add_argument(
        "--family",
        choices=sorted(_PORTS),
        default="v2",
        help="which server to imitate (v2)",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=int,
        help="port to listen on (v2: 8788, signed: 8789, ts: 8787; 0: any)",
    )
    parser.add_argument(
        "--api-key",
        help="key that lets clients write (v2: test-api-key, ts: test-api-secret)",
    )
    parser.add_argument(
        "--public-url",
        help="another origin under which this feed's playlists may be named",
    )
    parser.add_argument(
        "--no-extensions", action="store_true", help="without channels (v2)"
    )
    parser.add_argument(
        "--latency",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="time every answer takes",
    )
    parser.add_argument(
        "--always-async",
        action="store_true",
        help="queue every write and answer 202 (ts)",
    )
    parser.add_argument(
        "--queue-delay",
        type=float,
        default=0.1,
        metavar="SECONDS",
        help="until it can be read (0.1)",
    )
    parser.add_argument(
        "--seed",
        type=Path,
        metavar="FILE",
        help='JSON: {"playlists": […], "channels": […]}',
    )
    parser.add_argument("--verbose", action="store_true", help="log every request")
    return parser.parse_args()


def _feed(arguments: argparse.Namespace) -> FeedSimulator:
    """Return the feed that the command line describes."""
    return FeedSimulator(
        arguments.family,
        arguments.api_key,
        arguments.host,
        _PORTS[arguments.family] if arguments.port is None else arguments.port,
        extensions=not arguments.no_extensions,
        public_url=arguments.public_url,
        latency=arguments.latency,
        queue_delay=arguments.queue_delay,
        always_async=arguments.always_async,
    )


if __name__ == "__main__":
    arguments = _arguments()
    logging.basicConfig(level=logging.DEBUG if arguments.verbose else logging.INFO)
    seed = json.loads(arguments.seed.read_text("utf-8")) if arguments.seed else {}
    feed = _feed(arguments)
    run(f"Feed ({arguments.family})", feed, partial(feed.seed, **seed))
