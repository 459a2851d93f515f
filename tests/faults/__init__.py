"""What can go wrong around the integration, by what is attacked, and what a person is to notice of it."""
