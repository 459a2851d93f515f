"""A simulated indexer of tokens."""

from .simulator import Fault, IndexerSimulator

__all__ = ["Fault", "IndexerSimulator"]
