"""Test the end of a sentence that tells when and where."""

from custom_components.dp1.voice.rest import _rest, split_rest

NAMES = {"dp1_floor": [("Upstairs", "first floor")], "dp1_area": [], "dp1_display": []}


def test_floors() -> None:
    """A floor is named by its name or an alias; a word for all above is looked for among the floors later."""
    slots = split_rest("Porch Light on the first floor", "en", NAMES)
    assert slots == {"what": "Porch Light", "floor": "Upstairs"}
    slots = split_rest("Porch Light upstairs", "en", NAMES)
    assert slots == {"what": "Porch Light", "scope": "up"}
    assert _rest.cache_info().maxsize == 8
