"""DP-1 documents: schema, profile, building, and signatures.

It may import the client's common modules.
"""
