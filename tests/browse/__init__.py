"""Tests of the media browser and search."""
