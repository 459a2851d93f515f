"""The DP-1 world: displays, feeds, catalogs and documents, independent of Home Assistant."""
