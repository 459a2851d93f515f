"""Run a simulated indexer until it is stopped."""

import argparse

from ..run import run
from .simulator import IndexerSimulator

parser = argparse.ArgumentParser(
    prog="python -m tests.simulators.indexer", description=__doc__
)
parser.add_argument("--port", type=int, default=8790)
parser.add_argument(
    "--owner", help="an address that gets a collection", metavar="ADDRESS"
)
parser.add_argument("--works", type=int, default=100, help="how many works it gets")
options = parser.parse_args()
simulator = IndexerSimulator(port=options.port)
if options.owner:
    simulator.own(options.owner, options.works)
run("Indexer", simulator)
