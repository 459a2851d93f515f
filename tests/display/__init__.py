"""Tests of what the display coordinator is made of."""
