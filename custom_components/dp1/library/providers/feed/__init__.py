"""The playlist feed of a library: its server, and the nodes of playlists and channels.

It may import what the providers may import.
"""
