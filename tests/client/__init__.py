"""Tests of the client; they run without Home Assistant."""
