"""Catalog and feed as one tree of nodes, kept across restarts.

It may import `client`, `const` and `errors`.
"""
