"""What all tests share."""


import pytest

import custom_components  # noqa: F401  (before Home Assistant looks for its own test integrations)


@pytest.fixture(autouse=True)
def auto_enable_custom_integrations(enable_custom_integrations: None) -> None:
    """Let Home Assistant load the integration under test."""
