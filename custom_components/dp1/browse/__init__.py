"""The media browser and search, and the pictures they show.

It may import `playback` and everything below it.
"""
