"""Parts of the coordinator of a display: connection, discovery, history, metadata.

It may import `client`, `const`, `data`, `errors` and `storage`.
"""
