"""Works that a display remembers (firmware 2.0.7), whoever cast them; parsed as in :mod:`.device_status`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..errors import RejectedError
from ..hosts import loaded_url
from ..text import MAX_TITLE, plain
from ..values import Message, json_field, objects, text, yes

# The player keeps fewer.
MAX_RECORDS = 200
MAX_ID = 200


def _id(value: object) -> str | None:
    """Return the id of a record or a work."""
    return text(value, MAX_ID)


@dataclass(frozen=True, slots=True)
class RecentWork(Message):
    """A work that a display has shown.

    Attributes:
        id: of the record, by which the display shows it again.
        work_id: of its playlist item.
        artist: names of the artists.
        picture: URL of a picture.
        is_active: the display shows it now.
    """

    id: str | None = json_field(_id, "recordId")
    work_id: str | None = json_field(_id, "itemId")
    title: str | None = json_field(plain(MAX_TITLE), "title")
    artist: str | None = json_field(plain(MAX_TITLE), "artist")
    picture: str | None = json_field(loaded_url, "thumbnailUrl")
    is_active: bool = json_field(yes, "isActive", default=False)

    @classmethod
    def parse_all(cls, reply: Mapping[str, Any]) -> tuple[Self, ...]:
        """Parse the records, the newest first, or raise RejectedError without any; those without an id are left out."""
        if not isinstance(reply.get("records"), list):
            raise RejectedError("getRecentlyPlayed")
        records = map(cls.parse, objects(reply.get("records"), MAX_RECORDS))
        return tuple(record for record in records if record.id)
