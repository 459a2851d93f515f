"""The library against a simulated catalog and a simulated feed."""
