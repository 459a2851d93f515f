"""Playback: resolve a medium to a playlist, cast it, and everything built on that.

It may import the coordinator and everything below it.
"""
