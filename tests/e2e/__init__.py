"""A real Home Assistant, a real browser, and simulated servers around them."""

import pytest

# Their assertions tell what they compared, as those of the tests beside them do.
pytest.register_assert_rewrite("tests.e2e.card", "tests.e2e.rooms")
