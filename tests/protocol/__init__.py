"""Tests of the protocol package alone."""
