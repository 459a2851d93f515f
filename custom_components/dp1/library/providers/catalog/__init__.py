"""The exhibition catalog of a library: its coordinator, and what is read ahead of it.

It may import `library.server`, `library.named_works`, `library.works` and what those may import.
"""
