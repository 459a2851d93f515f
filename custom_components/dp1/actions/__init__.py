"""The actions of the integration, by subject.

They may import `playback` and everything below it.
"""
