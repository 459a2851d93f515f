"""The collections of a library: what some addresses hold, and their nodes.

It may import what the providers may import.
"""
