"""Tests of the modules of the display coordinator."""
