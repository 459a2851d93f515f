"""What the coordinator of a display is made of: discovery, connection, sleep, history, metadata.

It may import `client`, `const`, `errors` and `library`.
"""
