"""Tests of what Assist says and hears."""
