"""The exhibition catalog of a library: its server, its records, the reading ahead, and its nodes.

It may import what the providers may import.
"""
