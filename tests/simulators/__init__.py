"""Servers that behave as the real ones do; they share no code with the integration."""
