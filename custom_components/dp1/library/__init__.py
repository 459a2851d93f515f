"""Exhibition catalog and playlist feed as one tree of nodes, stored across restarts.

It may import `client`, `const` and `errors`.
"""
