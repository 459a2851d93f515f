"""Playback: resolve what a user names, cast it, and everything built on that.

It may import the coordinator and everything below it.
"""
