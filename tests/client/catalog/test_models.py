"""Test parsing the records of the catalog."""

from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.dp1.client.catalog.models import (
    Alumni,
    Artwork,
    Exhibition,
    ExhibitionKind,
    Model,
    Series,
)

MARA = {"ID": "c1", "alias": "Mara Okafor", "fullName": "M. Okafor", "slug": "mara"}
NUL = {"ID": "c2", "alias": "  ", "fullName": "Studio Nul", "slug": "nul"}

EXHIBITION: dict[str, Any] = {
    "id": "5f0f3c0e-7a44-4c1d-9a52-0d9b7a2f1e01",
    "title": "Slow &amp; Weather",
    "slug": "slow-weather-k2p",
    "exhibitionStartAt": "2026-03-10T16:00:00Z",
    "previewDuration": 604800,
    "type": "solo",
    "status": 4,
    "mintBlockchain": "Ethereum",
    "hidden": False,
    "isTesting": False,
    "publicViewable": True,
    "ordinalLabel": "052",
    "noteTitle": "Weather as score",
    "noteBrief": "<p>Six artists let the sky conduct.</p>\r\n",
    "coverURI": "exhibition-thumbnails/5f0f/1772608129",
    "coverDisplay": "https://imagedelivery.net/ACCOUNT/IMAGE",
    "thumbnailCoverURI": "covers/1",
    "curatorAlumni": {"ID": "c3", "alias": "Ines Quill", "slug": "ines"},
    "artistsAlumni": [MARA, None, NUL, {"ID": "nameless"}],
    "updatedAt": "2026-03-09T08:10:00.5Z",
}

SERIES: dict[str, Any] = {
    "id": "22222222-bbbb-4bbb-8bbb-222222222222",
    "exhibitionID": EXHIBITION["id"],
    "title": "Cloud Ledger",
    "slug": "cloud-ledger-w3e",
    "medium": "Image",
    "description": "<p>A ledger.</p>",
    "displayIndex": 2,
    "settings": {"maxArtwork": 40, "artworkModel": "multi_unique"},
    "thumbnailURI": "thumbnails/2222/1",
    "thumbnailDisplay": "https://imagedelivery.net/ACCOUNT/PICTURE",
    "artistAlumni": MARA | {"collaborationAlumniAccounts": [None, NUL]},
    "previewFile": {
        "uri": "previews/2222/1/",
        "metadata": {"urlOverwrite": "https://x.example/"},
    },
    "uniquePreviewPath": "previews/2222/1/_unique-previews",
    "uniqueThumbnailPath": "previews/2222/1/_unique-thumbnails",
    "mintedAt": "2026-02-27T12:04:11Z",
    "createdAt": "2026-01-29T03:43:34.526345Z",
}

ARTWORK: dict[str, Any] = {
    "id": "68133196527112232794835997367314869505960984666033462681082934679485438444096",
    "seriesID": SERIES["id"],
    "index": 0,
    "name": "#1",
    "category": "AE",
    "previewURI": "previews/2222/1/_unique-previews/0",
    "previewDisplay": {"HLS": "https://streams.example/video.m3u8"},
    "thumbnailURI": "previews/2222/1/_unique-thumbnails/0-large.jpg",
    "thumbnailDisplay": "https://imagedelivery.net/ACCOUNT/WORK",
    "metadata": {
        "alternativePreviewURI": "https://a.example/",
        "previewCloudFlareURL": "https://c.example/",
    },
    "chain": "ethereum",
    "contractAddress": "0x115C9A6118bC7a3EB0aBD30f6BCF1C45Bb198AEd",
    "tokenID": 92419109143972345096969611651362597777388673613154609693448331487805624917924,
    "burned": False,
    "isArchived": False,
    "mintedAt": "2026-02-27T12:04:11Z",
}


def test_exhibition() -> None:
    """Every used field is parsed."""
    show = Exhibition.parse(EXHIBITION)
    assert show == Exhibition(
        id="5f0f3c0e-7a44-4c1d-9a52-0d9b7a2f1e01",
        title="Slow & Weather",
        slug="slow-weather-k2p",
        number="052",
        opens_at=datetime(2026, 3, 10, 16, tzinfo=UTC),
        preview_seconds=604800,
        kind=ExhibitionKind.SOLO,
        note="Six artists let the sky conduct.",
        pictures=(
            "https://imagedelivery.net/ACCOUNT/IMAGE",
            "exhibition-thumbnails/5f0f/1772608129",
            "covers/1",
        ),
        artists=(
            Alumni("c1", "Mara Okafor", "mara"),
            Alumni("c2", "Studio Nul", "nul"),
        ),
        curator=Alumni("c3", "Ines Quill", "ines"),
        updated_at=datetime(2026, 3, 9, 8, 10, 0, 500_000, tzinfo=UTC),
    )
    assert show.viewable(datetime(2026, 3, 4, tzinfo=UTC))
    assert not show.viewable(datetime(2026, 3, 3, tzinfo=UTC))


def test_series() -> None:
    """Every used field is parsed."""
    assert Series.parse(SERIES) == Series(
        id="22222222-bbbb-4bbb-8bbb-222222222222",
        exhibition_id="5f0f3c0e-7a44-4c1d-9a52-0d9b7a2f1e01",
        title="Cloud Ledger",
        slug="cloud-ledger-w3e",
        medium="image",
        description="A ledger.",
        display_index=2,
        max_artwork=40,
        model=Model.MULTI_UNIQUE,
        pictures=("https://imagedelivery.net/ACCOUNT/PICTURE", "thumbnails/2222/1"),
        artists=(
            Alumni("c1", "Mara Okafor", "mara"),
            Alumni("c2", "Studio Nul", "nul"),
        ),
        previews=("https://x.example/", "previews/2222/1/"),
        unique_preview_path="previews/2222/1/_unique-previews",
        unique_thumbnail_path="previews/2222/1/_unique-thumbnails",
        minted_at=datetime(2026, 2, 27, 12, 4, 11, tzinfo=UTC),
        created_at=datetime(2026, 1, 29, 3, 43, 34, 526345, tzinfo=UTC),
    )


def test_artwork() -> None:
    """Every used field is parsed, with the sources in order."""
    assert Artwork.parse(ARTWORK) == Artwork(
        id="68133196527112232794835997367314869505960984666033462681082934679485438444096",
        index=0,
        name="#1",
        sources=(
            "https://a.example/",
            "https://c.example/",
            "https://streams.example/video.m3u8",
            "previews/2222/1/_unique-previews/0",
        ),
        pictures=(
            "https://imagedelivery.net/ACCOUNT/WORK",
            "previews/2222/1/_unique-thumbnails/0-large.jpg",
        ),
        chain="ethereum",
        contract="0x115C9A6118bC7a3EB0aBD30f6BCF1C45Bb198AEd",
        token_id="92419109143972345096969611651362597777388673613154609693448331487805624917924",
        minted_at=datetime(2026, 2, 27, 12, 4, 11, tzinfo=UTC),
    )


RECORDS = [(Exhibition, EXHIBITION), (Series, SERIES), (Artwork, ARTWORK)]
FIELDS = [(kind, data, name) for kind, data in RECORDS for name in data if name != "id"]
type Kinds = type[Exhibition | Series | Artwork]


MISSING = object()
WRONG = (MISSING, None, 7, 1.5, "", "text", [], [None, 7], {}, {"ID": []}, True)


@pytest.mark.parametrize(
    ("kind", "data", "name"), FIELDS, ids=lambda it: it if isinstance(it, str) else ""
)
def test_any_field_may_be_missing_or_wrong(
    kind: Kinds, data: dict[str, Any], name: str
) -> None:
    """An invalid field does not affect the others."""
    whole = kind.parse(data)
    for value in WRONG:
        changed = {**data, name: value}
        if value is MISSING:
            del changed[name]
        record = kind.parse(changed)
        assert record is not None and whole is not None
        assert record.id == whole.id
        touched = sum(
            getattr(record, field.name) != getattr(whole, field.name)
            for field in fields(record)
        )
        assert touched <= 3


@pytest.mark.parametrize("kind", [Exhibition, Series, Artwork])
@pytest.mark.parametrize(
    "data",
    [
        None,
        "text",
        7,
        [],
        {},
        {"title": "No id"},
        {"id": None},
        {"id": " "},
        {"id": []},
    ],
)
def test_without_id_there_is_no_record(kind: Kinds, data: object) -> None:
    """A record without an id is dropped."""
    assert kind.parse(data) is None


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(("kind", "data"), RECORDS)
@given(drawn=st.data())
def test_nothing_crashes_a_parser(
    kind: Kinds, data: dict[str, Any], drawn: st.DataObject
) -> None:
    """Any input gives a record that can be written as text, or None."""
    changes = drawn.draw(
        st.dictionaries(st.sampled_from(sorted(data)), JSON_VALUES, max_size=6)
    )
    record = kind.parse({**data, **changes})
    if record is not None:
        assert record.id and str(asdict(record)).encode()


def test_people_inside_accounts() -> None:
    """Artists and curators may be nested."""
    show = Exhibition.parse(
        {
            "id": "1",
            "artists": [{"alumniAccount": MARA}],
            "curator": {"alumniAccount": NUL},
        }
    )
    series = Series.parse({"id": "1", "artist": {"id": "role", "alumniAccount": MARA}})
    assert show is not None and series is not None
    assert show.artists == series.artists == (Alumni("c1", "Mara Okafor", "mara"),)
    assert show.curator == Alumni("c2", "Studio Nul", "nul")


def test_common_name_has_everybody_in_it() -> None:
    """Members of a collective are not listed again if its name includes them."""
    pair = {
        "alias": "Mara Okafor & Studio Nul",
        "collaborationAlumniAccounts": [MARA, NUL],
    }
    series = Series.parse({"id": "1", "artistAlumni": pair})
    assert series is not None
    assert [artist.name for artist in series.artists] == ["Mara Okafor & Studio Nul"]


@pytest.mark.parametrize(
    ("change", "visible"),
    [
        ({}, True),
        ({"hidden": True}, False),
        ({"isTesting": True}, False),
        ({"publicViewable": False}, False),
        ({"publicViewable": None}, True),
        ({"hidden": None}, True),
    ],
)
def test_visible(change: dict[str, Any], visible: bool) -> None:
    """Hidden, test and non-public exhibitions are not visible."""
    show = Exhibition.parse({**EXHIBITION, **change})
    assert show is not None
    assert show.visible is visible
    assert show.viewable(datetime(2027, 1, 1, tzinfo=UTC)) is visible


def test_opening_that_cannot_be_counted_back() -> None:
    """An extreme preview does not raise."""
    show = Exhibition.parse({**EXHIBITION, "previewDuration": 10**17})
    assert show is not None
    assert show.viewable_from == show.opens_at


def test_show_without_opening_is_open() -> None:
    """An exhibition without an opening is open."""
    show = Exhibition.parse({"id": "1"})
    assert show is not None
    assert show.viewable_from is None and show.viewable(
        datetime(2026, 1, 1, tzinfo=UTC)
    )


@pytest.mark.parametrize("kind", ["group", "curated", "", None])
def test_everything_but_solo_is_a_group(kind: str | None) -> None:
    """Curated exhibitions are group exhibitions, too."""
    show = Exhibition.parse({"id": "1", "type": kind})
    assert show is not None and show.kind is ExhibitionKind.GROUP


def test_title_falls_back() -> None:
    """The title falls back to the slug, then the id."""
    names = [{"title": "<br>", "name": "Name"}, {"slug": "a-slug"}, {}]
    shows = [Exhibition.parse({"id": "key", **name}) for name in names]
    assert [show and show.title for show in shows] == ["Name", "a-slug", "key"]


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-03-10T16:00:00Z", datetime(2026, 3, 10, 16, tzinfo=UTC)),
        (
            "2026-03-10T18:00:00.123456789+02:00",
            datetime(2026, 3, 10, 16, 0, 0, 123456, tzinfo=UTC),
        ),
        ("2026-03-10T16:00:00", datetime(2026, 3, 10, 16, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-23:00", None),
        ("soon", None),
        (1773158400, None),
    ],
)
def test_moments(value: object, moment: datetime | None) -> None:
    """Moments are in UTC; the year 1 means none."""
    show = Exhibition.parse({"id": "1", "exhibitionStartAt": value})
    assert show is not None and show.opens_at == moment


@pytest.mark.parametrize(
    ("value", "index"),
    [
        (3, 3),
        ("3", 3),
        (3.0, 3),
        (0, 0),
        (-1, None),
        (True, None),
        (1.5, None),
        ("x", None),
        (None, None),
    ],
)
def test_index(value: object, index: int | None) -> None:
    """The index is an integer from 0, or None."""
    work = Artwork.parse({"id": "1", "index": value})
    assert work is not None and work.index == index


HEX = "f0240e04d64717e319584957f6a83954b029254ad1260b6320472ea8c0c5b1cf"


@pytest.mark.parametrize(
    ("data", "chain", "contract", "token_id"),
    [
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": "12"}, "ethereum", "0xA", "12"),
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": 2**255}, "ethereum", "0xA", str(2**255)),
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": HEX}, "ethereum", "0xA", str(int(HEX, 16))),
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": f"0x{HEX.upper()}"}, "ethereum", "0xA", str(int(HEX, 16))),
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": "0xff"}, "ethereum", "0xA", "255"),
        ({"chain": "ethereum", "contractAddress": "0xA", "tokenID": "1" * 64}, "ethereum", "0xA", "1" * 64),
        ({"chain": "tezos", "contractAddress": "KT1", "tokenID": HEX}, "tezos", "KT1", HEX),
        ({"chain": "Bitmark", "contractAddress": "", "tokenID": HEX}, "bitmark", "", ""),
        ({"swap": {"blockchainType": "tezos", "contractAddress": "KT1", "token": "5"}}, "tezos", "KT1", "5"),
        (
            {
                "chain": "bitmark",
                "tokenID": HEX,
                "successfulSwap": {
                    "blockchainType": "ethereum",
                    "contractAddress": "0xB",
                    "token": HEX,
                },
                "swap": {
                    "blockchainType": "tezos",
                    "contractAddress": "KT1",
                    "token": "5",
                },
            },
            "ethereum",
            "0xB",
            str(int(HEX, 16)),
        ),
        ({"chain": "ethereum", "swap": {"blockchainType": "tezos", "token": "5"}}, "ethereum", "", ""),
        ({}, "", "", ""),
    ],
)  # fmt: skip
def test_identity(
    data: dict[str, Any], chain: str, contract: str, token_id: str
) -> None:
    """The resolved token comes first, then the swap; token ids are decimal on Ethereum."""
    work = Artwork.parse({"id": "1", **data})
    assert work is not None
    assert (work.chain, work.contract, work.token_id) == (chain, contract, token_id)


@pytest.mark.parametrize("flag", ["burned", "isArchived"])
def test_gone(flag: str) -> None:
    """Burned and archived works are removed."""
    work = Artwork.parse({**ARTWORK, flag: True})
    assert work is not None and work.gone


def test_endless_addresses_are_left_out() -> None:
    """A data URL as picture is dropped."""
    work = Artwork.parse(
        {**ARTWORK, "thumbnailDisplay": "data:image/png;base64," + "A" * 10**6}
    )
    assert work is not None
    assert work.pictures == ("previews/2222/1/_unique-thumbnails/0-large.jpg",)


def test_texts_that_no_file_can_hold_are_left_out() -> None:
    """Text that cannot be encoded is dropped."""
    work = Artwork.parse({"id": "1", "seriesID": "\ud83d", "previewURI": "a\udc00"})
    assert work == Artwork(id="1")
    assert Artwork.parse({"id": "\ud83d"}) is None
