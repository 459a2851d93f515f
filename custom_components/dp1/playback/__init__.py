"""The way from what a person names to what a display shows.

It may import the coordinator and everything below it.
"""
