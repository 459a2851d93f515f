"""Screens: any browser as a display, in this process.

May import the client and what all rooms share; only the flows and the setup import it: to all others a screen is a display.
"""
