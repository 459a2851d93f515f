"""The contents of the simulated catalog: invented exhibitions, people and works, the same on every run.

Sizes and peculiarities are those of the public catalog: 51 exhibitions, 31 of them group shows, people twice in every record
and with long biographies, settings that may be null, identifiers far beyond 2**53, HTML in texts.
"""

from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from hashlib import sha256
import json
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from .titles import ADJECTIVES, BIOGRAPHY, FIRST_NAMES, LAST_NAMES, NOUNS, SHOWS

type Json = dict[str, Any]

# What is odd about the series and works of an exhibition.
ODDITIES = Path(__file__).with_name("oddities.json")
MISSING = "<missing>"
SERIES_IN_ALL = 700
LONGEST_SERIES = 1024
FUTURE = datetime(2031, 1, 15, 17, tzinfo=UTC)

IMAGE_ACCOUNT = "https://imagedelivery.net/Qp3nPz0aH1mB5kQ7xW2v9A"

MEDIA = ("software", "image", "software", "video", "image", "software", "3d")
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


@cache
def uuid_of(*seed: object) -> str:
    """Return a UUID derived from a name."""
    return str(UUID(bytes=sha256(repr(seed).encode()).digest()[:16], version=4))


@cache
def token_of(*seed: object) -> str:
    """Return a token id as Ethereum has it: 256 bits, decimal."""
    return str(int.from_bytes(sha256(repr(seed).encode()).digest()))


@cache
def hex_of(*seed: object) -> str:
    """Return an id of 64 hex digits, as Bitmark has it."""
    return sha256(repr(seed).encode()).hexdigest()


def moment(when: datetime) -> str:
    """Format a moment as the catalog does."""
    return when.isoformat().replace("+00:00", "Z")


@cache
def slug_of(title: str, seed: str) -> str:
    """Return a slug, made unique by three letters at its end."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in title.lower())
    end = "".join(Random(f"slug {seed}").choices(LETTERS, k=3))
    return "-".join((*words.split(), end))


@cache
def _drawn(number: int) -> Json:
    """Return what is known of a person."""
    rng = Random(f"person {number}")
    name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
    anonymous = rng.random() < 0.1
    size = rng.randint(2, 7)
    bio = "".join(
        f"<p>{' '.join(rng.choices(BIOGRAPHY, k=2))} &amp; so on.</p>\r\n"
        for _ in range(size)
    )
    return {
        "ID": uuid_of("person", number),
        "alias": "" if anonymous else name,
        "fullName": f"Studio {name}" if anonymous else name,
        "slug": slug_of(name, f"person {number}"),
        "isArtist": True,
        "isCurator": rng.random() < 0.2,
        "bio": bio,
        "avatarURI": f"avatars/{uuid_of('person', number)}/1608000000",
        "avatarDisplay": f"{IMAGE_ACCOUNT}/{uuid_of('avatar', number)}",
        "location": rng.choice(("Lagos", "Oslo", "Taipei", "Lima", "")),
        "website": f"https://{slug_of(name, f'person {number}')}.example",
        "company": "",
        "addresses": {
            "ethereum": f"0x{hex_of('address', number)[:40]}",
            "tezos": f"tz1{hex_of('tezos', number)[:33]}",
            "bitmark": hex_of("bitmark", number)[:50],
        },
        "associatedAddresses": [f"0x{hex_of('other', number)[:40]}"],
        "socialNetworks": {"instagramID": "", "twitterID": ""},
        "collaborationAlumniAccounts": [None] if number % 17 == 0 else [],
    }


def person_of(number: int, seed: str, *, nested: bool = False) -> Json:
    """Return an artist or curator; people take part in several exhibitions."""
    person = dict(_drawn(number))
    if not nested:
        return person
    return {"id": uuid_of("role", number, seed), "alumniAccount": person}


@cache
def _numbers() -> dict[str, int]:
    return {
        uuid_of("exhibition", number): number for number in range(1, 1 + len(SHOWS))
    }


class CatalogData:
    """All records, created on first use."""

    def __init__(self, media_base: str | None) -> None:
        """Initialize without records.

        Args:
            media_base: URL to put before every path of a picture or work; None to leave the paths relative, and
                pictures with the image service, as the public catalog does.
        """
        self._media_base = media_base
        self._by_exhibition: dict[str, list[Json]] = {}
        self._made: dict[str, Json] = {}
        self._works: dict[str, list[Json]] = {}
        odd = ODDITIES.read_text("utf-8").replace("{media}/", self._media(""))
        self._odd: Json = json.loads(odd.replace("{long}", "<p>long</p>" * 800))

    @cached_property
    def exhibitions(self) -> list[Json]:
        """Return every exhibition, newest first."""
        shows = [self._exhibition(number) for number in range(1, len(SHOWS) + 1)]
        return shows[::-1]

    @property
    def _series(self) -> dict[str, Json]:
        for show in self.exhibitions:
            self.series(show["id"])
        return self._made

    @property
    def series_count(self) -> int:
        return len(self._series)

    def find_exhibition(self, title: str) -> Json:
        return next(show for show in self.exhibitions if show["title"] == title)

    def series(self, exhibition_id: str) -> list[Json]:
        """Return the series of an exhibition, in display order."""
        if exhibition_id not in self._by_exhibition:
            made = [
                record
                for show in self.exhibitions
                if show["id"] == exhibition_id
                for record in self._series_of(show, _numbers()[exhibition_id])
            ]
            self._by_exhibition[exhibition_id] = made
            self._made |= {record["id"]: record for record in made}
        return self._by_exhibition[exhibition_id]

    def artworks(self, series_id: str) -> list[Json]:
        if series_id not in self._made and series_id not in self._series:
            return []
        if series_id not in self._works:
            self._works[series_id] = self._make_artworks(series_id)
        return self._works[series_id]

    def medium(self, series_id: str) -> str:
        """Return the medium of a series; empty if there is no such series."""
        series = self._made.get(series_id) or self._series.get(series_id, {})
        return str(series.get("medium", ""))

    def _media(self, path: str) -> str:
        """Return the URL for the path of a picture or work."""
        return path if self._media_base is None else f"{self._media_base}/{path}"

    def _image(self, *seed: object) -> str:
        """Return the URL of a picture at the image service, without its variant."""
        if self._media_base is None:
            return f"{IMAGE_ACCOUNT}/{uuid_of('image', *seed)}"
        return f"{self._media_base}/images/{'/'.join(str(part) for part in seed)}"

    def _exhibition(self, number: int) -> Json:
        """Return the record of an exhibition."""
        show = SHOWS[number - 1]
        rng = Random(f"show {number}")
        key = uuid_of("exhibition", number)
        group = show.kind == "group"
        opens = datetime(2020, 11, 5, 16, tzinfo=UTC) + timedelta(days=41 * number)
        if show.future:
            opens = FUTURE
        count = 19 if number == 31 else rng.randint(6, 14) if group else 1
        people = [number * 7 + place for place in range(count)]
        curated = group and number % 4 != 0
        seed = str(number)
        return {
            "id": key,
            "title": show.title,
            "slug": show.slug or slug_of(show.title, seed),
            "exhibitionStartAt": moment(opens),
            "previewDuration": 604800 if show.future else 0,
            "type": show.kind,
            "status": 3 if show.future else 4,
            "mintBlockchain": show.chain,
            "hidden": show.hidden,
            "isTesting": show.testing,
            "publicViewable": not show.private,
            "ordinalLabel": f"{number:03}",
            "noteTitle": f"On {show.title}",
            "noteBrief": ""
            if number in (9, 33)
            else f"<p>{rng.choice(BIOGRAPHY)} &ldquo;{show.title}&rdquo; &amp; after.</p>\r\n<p>{rng.choice(BIOGRAPHY)}</p>",
            "note": "",
            "coverURI": self._media(
                f"exhibition-thumbnails/{key}/{1600000000 + number}"
            ),
            "coverDisplay": "" if number == 12 else self._image(key),
            **(
                {"thumbnailCoverURI": self._media(f"exhibition-covers/{key}/1")}
                if number % 3
                else {}
            ),
            **(
                {
                    "curatorAlumni": person_of(900 + number, seed),
                    "curator": person_of(900 + number, seed, nested=True),
                    "curatorAlumniAccountID": uuid_of("person", 900 + number),
                }
                if curated
                else {}
            ),
            "artistsAlumni": [person_of(person, seed) for person in people],
            "artists": [person_of(person, seed, nested=True) for person in people],
            "metadata": {"viewableAt": None},
            "settings": None,
            "saleStatus": "closed",
            "highlightOrder": None,
            "createdAt": moment(opens - timedelta(days=60, microseconds=123456)),
            "updatedAt": moment(
                min(opens, datetime(2026, 3, 1, tzinfo=UTC)) + timedelta(days=3)
            ),
        }

    @cached_property
    def _series_counts(self) -> list[int]:
        """Return the number of series for each exhibition."""
        rng = Random("series counts")
        counts = [
            show.series
            or (rng.randint(12, 26) if show.kind == "group" else rng.randint(2, 7))
            for show in SHOWS
        ]
        free = [
            place
            for place, show in enumerate(SHOWS)
            if show.kind == "group" and not show.series
        ]
        place = 0
        while (missing := SERIES_IN_ALL - sum(counts)) != 0:
            counts[free[place % len(free)]] += 1 if missing > 0 else -1
            place += 1
        return counts

    def _series_of(self, show: Json, number: int) -> list[Json]:
        """Return the series of an exhibition."""
        records = [
            self._make_series(show, number, place)
            for place in range(self._series_counts[number - 1])
        ]
        if show["title"] == "Loose Ends":
            for place, change in enumerate(self._odd["series"]):
                records[place].pop("uniquePreviewPath", None)
                records[place].update(change)
        if show["title"] == "Longform":
            records[0].update(
                title="A Thousand Tides",
                medium="software",
                settings={"maxArtwork": LONGEST_SERIES, "artworkModel": "multi_unique"},
            )
        return records

    def _make_series(self, show: Json, number: int, place: int) -> Json:
        """Return the record of a series."""
        rng = Random(f"series {number} {place}")
        key = uuid_of("series", number, place)
        title = f"{rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
        model = rng.choice(("single", "multi", "multi_unique"))
        size = {
            "single": 1,
            "multi": rng.randint(5, 75),
            "multi_unique": rng.randint(8, 60),
        }
        made = datetime.fromisoformat(show["createdAt"]) + timedelta(hours=place)
        folder = f"previews/{key}/1730458737"
        artists = show["artistsAlumni"]
        person = artists[place % len(artists)]
        return {
            "id": key,
            "exhibitionID": show["id"],
            "title": title,
            "slug": slug_of(title, key) if place % 9 else slug_of(title, ""),
            "medium": MEDIA[rng.randrange(len(MEDIA))],
            "description": f"<p>{rng.choice(BIOGRAPHY)}</p>\r\n<p>{rng.choice(BIOGRAPHY)} It&rsquo;s {title}.</p>",
            "displayIndex": place if place % 8 != 5 else place - 1,
            "settings": {
                "maxArtwork": size[model],
                "artworkModel": model,
                "saleModel": "shopping",
            },
            "thumbnailURI": self._media(f"thumbnails/{key}/1730458737"),
            "thumbnailDisplay": self._image(key),
            **(
                {"artist": {"id": uuid_of("role", key), "alumniAccount": person}}
                if place % 5 == 3
                else {"artistAlumni": person}
            ),
            "artistAlumniAccountID": person["ID"],
            "previewFile": {
                "uri": self._media(f"{folder}/"),
                "version": "1730458737",
                "filename": "index.html",
                "status": "uploaded",
                "metadata": None,
            },
            "originalFile": None,
            **(
                {
                    "uniquePreviewPath": self._media(f"{folder}/_unique-previews"),
                    "uniqueThumbnailPath": self._media(f"{folder}/_unique-thumbnails"),
                }
                if model == "multi_unique"
                else {}
            ),
            "metadata": {
                "mediumDescription": ["JavaScript", "Generative, non-interactive"]
            },
            "onchainID": token_of("series", key),
            "mintedAt": moment(made + timedelta(days=58)),
            "createdAt": moment(made),
            "updatedAt": moment(made + timedelta(days=70)),
        }

    def _make_artworks(self, series_id: str) -> list[Json]:
        """Return the works of a series."""
        series = self._made[series_id]
        settings = series["settings"] or {"maxArtwork": 3, "artworkModel": "multi"}
        works = [
            self._artwork(series, settings["artworkModel"], index)
            for index in range(settings["maxArtwork"])
        ]
        changes = self._odd["works"].get(series["title"])
        if changes is None:
            return works
        pairs = zip(works, changes, strict=False)
        return [
            {name: value for name, value in (work | odd).items() if value != MISSING}
            for work, odd in pairs
        ]

    def _artwork(self, series: Json, model: str, index: int) -> Json:
        """Return the record of a work."""
        key = series["id"]
        chain = self._chain(series, index)
        token = hex_of(key, index) if chain == "bitmark" else token_of(key, index)
        folder = f"previews/{key}/1730458737"
        query = f"?edition_number={index}&blockchain={chain}&token_id={token}"
        unique = model == "multi_unique"
        if unique and series["medium"] != "software":
            preview, picture = (
                f"{folder}/_unique-previews/{index}",
                f"{folder}/_unique-thumbnails/{index}-large.jpg",
            )
        else:
            preview = f"{folder}/{query}" if unique else f"{folder}/"
            picture = (
                f"thumbnails/{key}/{index}"
                if unique
                else f"thumbnails/{key}/1730458737"
            )
        contract = {
            "ethereum": f"0x{hex_of('contract', key)[:40]}",
            "tezos": f"KT1{hex_of('kt', key)[:33]}",
        }
        return {
            "id": token,
            "seriesID": key,
            "index": index,
            "name": f"#{index + 1}" if model != "single" else series["title"],
            "category": "",
            "previewURI": self._media(preview),
            "previewDisplay": {} if index % 2 else None,
            "previewMIMEType": "text/plain",
            "thumbnailURI": self._media(picture),
            "thumbnailDisplay": self._image(key, index) if unique else "",
            "metadata": {"ipfs_cid": "QmSimulatedSimulatedSimulatedSimulatedSimula"},
            "chain": chain,
            "contractAddress": contract.get(chain, ""),
            "tokenID": token,
            "blockchainStatus": "settled",
            "burned": model != "single" and index % 29 == 7,
            "isArchived": False,
            "isExternal": False,
            "ownerAddress": f"0x{hex_of('owner', key, index)[:40]}",
            "mintedAt": series["mintedAt"],
            "createdAt": series["createdAt"],
            "updatedAt": series["updatedAt"],
            "artworkAttributes": [
                {"traitType": "Tempo", "value": "slow", "percentage": 0.25}
            ],
        }

    def _chain(self, series: Json, index: int) -> str:
        """Return the blockchain of a work: half of the Bitmark works have moved to Ethereum since."""
        show = next(
            record
            for record in self.exhibitions
            if record["id"] == series["exhibitionID"]
        )
        chain = str(show["mintBlockchain"])
        return "ethereum" if chain == "bitmark" and index % 2 == 0 else chain
