"""Parts of the coordinator of a display: state, connection, reads, requests, discovery, history, metadata.

It may import `client`, `const`, `errors`, `library` and `storage`.
"""
