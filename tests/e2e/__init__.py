"""A real Home Assistant, a real browser, and simulated servers around them."""
