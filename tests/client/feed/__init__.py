"""Tests of the feed client."""
