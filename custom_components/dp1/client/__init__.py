"""DP-1 without Home Assistant: displays, feeds, catalogs and playlists.

It imports nothing but its own requirements, by relative imports only, so that it could be a library of its own.
"""
