"""Collections of a library: the works that addresses hold, as an indexer of tokens tells.

It may import `library.matching`, `library.server`, `library.works` and what those may import.
"""
