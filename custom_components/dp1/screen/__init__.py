"""Screens: any browser as a display, in this process, to which others may cast if its owner lets them.

May import the client and what all rooms share; only the flows and the setup import it: to all others a screen is a display.
"""
