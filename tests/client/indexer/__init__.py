"""Tests of the client of an indexer."""
