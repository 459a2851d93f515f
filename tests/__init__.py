"""Tests of DP-1 Art Displays."""
