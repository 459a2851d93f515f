"""Tests of the library with a simulated catalog and feed."""
