"""People of the exhibition catalog."""

from dataclasses import dataclass
from typing import Self

from ..values import mapping
from .fields import as_key, as_text, as_title
from .stored import Json, record_to_store

MAX_PEOPLE = 200


@dataclass(frozen=True, slots=True)
class Alumni:
    """An artist or curator.

    Attributes:
        id: id.
        name: name as they sign.
        slug: for their web page.
    """

    id: str
    name: str
    slug: str = ""

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse an alumni object, by itself or inside ``alumniAccount``; None without a name."""
        data = mapping(data)
        data = mapping(data.get("alumniAccount")) or data
        return cls.from_store(
            {
                "id": data.get("ID") or data.get("id"),
                "name": as_title(data.get("alias"), data.get("fullName")),
                "slug": data.get("slug"),
            }
        )

    @classmethod
    def from_store(cls, data: object) -> Self | None:
        """Parse the output of ``to_store``."""
        data = mapping(data)
        if not (name := as_text(data.get("name"))):
            return None
        return cls(as_key(data.get("id")), name, as_text(data.get("slug")))

    def to_store(self) -> Json:
        """Return the person as JSON."""
        return record_to_store(self)


def people_of(value: object) -> list[Alumni]:
    """Return the alumni of a list; entries may be null."""
    if not isinstance(value, list):
        return []
    return [person for part in value[:MAX_PEOPLE] if (person := Alumni.parse(part))]


def stored_people(value: object) -> tuple[Alumni, ...]:
    """Return the stored alumni of a list."""
    if not isinstance(value, list):
        return ()
    return tuple(person for part in value if (person := Alumni.from_store(part)))


def collective_of(value: object) -> list[Alumni]:
    """Return an artist with the members of their collective, unless its name already includes them."""
    data = mapping(value)
    data = mapping(data.get("alumniAccount")) or data
    artist = Alumni.parse(data)
    people = [artist] if artist else []
    for other in people_of(data.get("collaborationAlumniAccounts")):
        if not any(other.name in known.name for known in people):
            people.append(other)
    return people
