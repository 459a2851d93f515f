"""Exhibition catalog, playlist feed and collections as one tree of nodes, stored across restarts.

It may import `client`, `const`, `errors`, `guard`, `language` and `storage`.
"""
