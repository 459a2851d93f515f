"""People of the exhibition catalog."""

from dataclasses import dataclass
from typing import Self

from ..text import clean
from ..url import host_of
from ..values import mapping
from .fields import as_key, as_text, as_texts, as_title

MAX_PEOPLE = 200
# A biography may be as long as a page; this is as much as a label has place for.
MAX_ABOUT = 600
MAX_WEBSITE = 200


@dataclass(frozen=True, slots=True)
class Alumni:
    """An artist or curator.

    Attributes:
        id: id.
        name: name as they sign.
        slug: for their web page.
        about: the beginning of their biography, and the place where they live.
        website: its address, empty unless it is one.
        pictures: addresses of a portrait, relative or absolute.
    """

    id: str
    name: str
    slug: str = ""
    about: str = ""
    website: str = ""
    pictures: tuple[str, ...] = ()

    @classmethod
    def parse(cls, data: object) -> Self | None:
        """Parse an alumni object, by itself or inside ``alumniAccount``; None without a name."""
        data = mapping(data)
        data = mapping(data.get("alumniAccount")) or data
        if not (name := as_title(data.get("alias"), data.get("fullName"))):
            return None
        key = as_key(data.get("ID") or data.get("id"))
        place, bio = clean(data.get("location"), 100), clean(data.get("bio"), MAX_ABOUT)
        about = f"{place}. {bio}" if place and bio else bio or place
        website = as_text(data.get("website"))[:MAX_WEBSITE]
        return cls(
            key,
            name,
            as_text(data.get("slug")),
            about,
            website if host_of(website) else "",
            as_texts([data.get("avatarDisplay"), data.get("avatarURI")]),
        )


def people_of(value: object) -> tuple[Alumni, ...]:
    """Return the alumni of a list; entries may be null."""
    if not isinstance(value, list):
        return ()
    people = map(Alumni.parse, value[:MAX_PEOPLE])
    return tuple(person for person in people if person)


def collective_of(value: object) -> tuple[Alumni, ...]:
    """Return an artist with the members of their collective, unless its name already includes them."""
    data = mapping(value)
    data = mapping(data.get("alumniAccount")) or data
    artist = Alumni.parse(data)
    people = [artist] if artist else []
    for other in people_of(data.get("collaborationAlumniAccounts")):
        if not any(other.name in known.name for known in people):
            people.append(other)
    return tuple(people)
