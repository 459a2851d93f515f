"""The protocol of a playlist feed: reading, publishing, and the errors of its servers.

It may import the client's common modules and `playlist`.
"""
