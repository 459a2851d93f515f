"""The protocol of a display: commands over HTTP, and the notifications of its socket.

It may import the client's common modules.
"""
