"""A simulated exhibition catalog."""
