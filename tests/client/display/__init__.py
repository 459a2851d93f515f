"""Tests of the display client."""
