"""Test what follows a title: when and where, and the names that a text may consist of."""

from custom_components.dp1.voice.tail import Reading, Tail

NAMES = {
    "dp1_floor": [("Upstairs", "first floor")],
    "dp1_area": [("Living Room",)],
    "dp1_display": [],
}


def test_floors() -> None:
    """A floor is named by its name or an alias."""
    tail = Tail.of("en", NAMES)
    *_, last = tail.readings("Porch Light on the first floor")
    assert (last.what, last.slots) == ("Porch Light", {"floor": "Upstairs"})
    placed = tail.placed(Reading("Porch Light upstairs"))
    assert placed == Reading("Porch Light", {"place": "Upstairs"})
