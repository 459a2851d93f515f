"""Test the picture of a work from its playlist item."""

import pytest

from custom_components.dp1.client.display.player_status import PlayerStatus
from custom_components.dp1.display.metadata import work_of

from tests.client.tables import tables


@pytest.mark.parametrize(
    ("item", "cover", "picture"), tables("picture", "display")["pictures"]
)
def test_the_best_picture_is_chosen(
    item: dict[str, object], cover: str | None, picture: str | None
) -> None:
    """The thumbnail comes first, then the work if it is an image, then the cover; unsupported URLs are skipped."""
    playlist = {"title": "Evening", "coverImage": cover, "items": [item]}
    status = {"ok": True, "index": 0, "items": [item], "playlist": playlist}
    player = PlayerStatus.parse(status)
    assert player.current is not None
    assert work_of(player.current, None, player.playlist).picture == picture
