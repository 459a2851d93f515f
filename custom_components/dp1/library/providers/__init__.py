"""The providers of art of a library, each an object that answers for itself.

It may import `library.node`, `library.matching`, `library.server`, `library.preferences`, `client`, `const`, `errors` and `storage`.
"""
