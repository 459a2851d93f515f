"""The exhibition catalog of a library: its server, its records, what is read ahead of it, and its nodes.

It may import what the providers may import.
"""
