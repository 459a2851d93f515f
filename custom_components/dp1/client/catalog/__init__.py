"""The protocol of an exhibition catalog: exhibitions, series and artworks, five a page.

It may import the client's common modules.
"""
