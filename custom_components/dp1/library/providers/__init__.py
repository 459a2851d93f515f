"""The providers of art of a library, each an object that answers for itself.

It may import `library.item`, `library.node`, `library.search`, `library.words`, `library.shelf`, `library.settings`, `client`, `const`, `errors` and `storage`.
"""
