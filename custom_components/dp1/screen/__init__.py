"""Screens: any browser as a display, which speaks the interface of one, on loopback unless its owner lets others cast.

May import the client and what all rooms share; only the flows and the setup import it: to all others a screen is a display
at an address.
"""
