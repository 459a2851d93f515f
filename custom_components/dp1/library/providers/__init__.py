"""The providers of art of a library, each an object that answers for itself.

It may import `library.node`, `library.search`, `library.words`, `library.server`, `library.settings`, `client`, `const`, `errors` and `storage`.
"""
