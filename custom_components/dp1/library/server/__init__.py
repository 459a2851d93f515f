"""What the servers of a library share: a coordinator with a list that is read in parts, cached and shared by its readers.

It may import `library.threads`, `client`, `const`, `errors` and `storage`.
"""
