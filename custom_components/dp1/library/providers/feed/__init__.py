"""The playlist feed of a library: its server, the records it keeps of playlists and channels, and their nodes.

It may import what the providers may import.
"""
