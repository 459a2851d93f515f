"""Reading an indexer: links to tokens and series, the indexer's records, and playlist items of them.

It may import the client's common modules and `playlist`.
"""
