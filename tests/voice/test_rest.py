"""Test the end of a sentence that tells when and where."""

from custom_components.dp1.voice.rest import _rest, split_rest

NAMES = {"dp1_floor": [("Upstairs", "first floor")], "dp1_area": [], "dp1_display": []}


def test_a_floor_that_is_called_like_a_word() -> None:
    """A floor is named by its name or an alias, also where that is a word for all of it."""
    slots = split_rest("Porch Light upstairs", "en", NAMES)
    assert slots["what"] == "Porch Light"
    assert slots.get("floor") == "Upstairs"
    assert _rest.cache_info().maxsize == 8
