"""What can go wrong around the integration, by what is attacked, and what a person is to notice of it.

``tests/test_faults.py`` runs every row, ``scripts/faults`` prints them as a table.
"""
