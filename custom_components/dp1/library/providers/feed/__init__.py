"""The playlist feed of a library: its coordinator, and the records it keeps of playlists and channels.

It may import `library.server` and what that may import.
"""
