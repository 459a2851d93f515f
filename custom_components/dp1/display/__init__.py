"""What the coordinator of a display is made of: connection, discovery, history, metadata.

It may import `client`, `const`, `data`, `errors` and `storage`.
"""
