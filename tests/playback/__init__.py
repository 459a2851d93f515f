"""Tests of the way onto a display."""
