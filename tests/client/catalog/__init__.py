"""Tests of the catalog client."""
