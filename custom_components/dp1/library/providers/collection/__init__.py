"""Collections of a library: the works that addresses hold, as an indexer of tokens tells.

It may import what the providers may import.
"""
