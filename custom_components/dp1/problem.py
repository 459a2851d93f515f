"""What keeps a work off the wall."""

from .coordinator import DisplayData
from .protocol.text import clean

RENDER_FAILED = 3
REASON_LENGTH = 200


def problem_of(data: DisplayData) -> str | None:
    """Name what keeps the work from being shown; empty if nothing does, None if that cannot be told."""
    player = data.player
    if data.device is None or data.set_up:
        return None
    if player is None:
        return "no_player"
    if player.render_status == RENDER_FAILED:
        return "render_failed"
    if player.error or not player.ok:
        return clean(player.error, REASON_LENGTH) or "not_ok"
    return ""
