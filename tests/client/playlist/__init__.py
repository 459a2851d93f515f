"""Tests of DP-1 documents."""
