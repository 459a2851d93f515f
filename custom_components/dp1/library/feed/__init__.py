"""The playlist feed of a library: its coordinator, and the records it keeps of playlists and channels.

It may import `library.servers` and what that may import.
"""
