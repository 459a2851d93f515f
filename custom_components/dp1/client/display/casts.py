"""What is cast, and how it is named in the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from ..values import mapping, text
from .player_status import PlaylistItem


class Dialect(StrEnum):
    """Which description a display follows."""

    UNKNOWN = "unknown"
    FF = "ff"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class Cast:
    """What to show: a playlist by its URL, which the display fetches and keeps fresh, or a DP-1 document."""

    playlist_url: str | None = None
    playlist: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Hold exactly one of both."""
        if (self.playlist_url is None) is (self.playlist is None):
            raise ValueError("a cast is either a URL or a playlist")


@dataclass(frozen=True, slots=True)
class Start:
    """How a cast begins. A display by itself begins with the first work, in order, and goes round.

    Attributes:
        work_id: id of the work to begin with.
        source: URL of that work, should it have no id.
        index: its place, counted from 0, should neither tell.
        shuffle: in random order.
        loop: what comes after the last work: "none", "playlist" or "one".
    """

    work_id: str | None = None
    source: str | None = None
    index: int | None = None
    shuffle: bool | None = None
    loop: str | None = None

    @property
    def names_work(self) -> bool:
        """Whether the work has to be looked up in the list."""
        return self.work_id is not None or self.source is not None

    def place(self, items: Sequence[PlaylistItem]) -> int | None:
        """Find the work to begin with among those of a display, counted from 0; None if it does not matter."""
        for name, wanted in (("id", self.work_id), ("source", self.source)):
            places = [
                place
                for place, item in enumerate(items)
                if wanted is not None and getattr(item, name) == wanted
            ]
            if places:
                return self.index if self.index in places else places[0]
        return self.index


@dataclass(frozen=True, slots=True)
class CastResult:
    """What a display made of a cast. Accepted is not yet visible: the status tells that.

    Attributes:
        method: how it was sent.
        deferred: no work of it is due yet; what was shown stays.
        signature_status: "valid", "invalid" or "unsigned"; None below firmware 2.0.7.
        signers: verdicts as sent: ``alg``, ``kid``, ``role``, ``ok``, perhaps ``reason``.
        cast: what was sent, which is a newer cast if one overtook.
    """

    method: Literal["url", "inline"]
    deferred: bool
    signature_status: str | None
    signers: tuple[Mapping[str, Any], ...]
    cast: Cast | None = field(default=None, compare=False)


def document(cast: Cast, dialect: Dialect) -> Mapping[str, Any]:
    """Name what is cast as the display calls it; never a URL and a document at once.

    Feral File firmware reads ``dp1_call`` and ignores ``playlist``, the 2025 description has ``playlist`` alone. Sent
    with both, every display but a very strict one finds what it looks for.
    """
    if cast.playlist is None:
        return {"playlistUrl": cast.playlist_url}
    names = {Dialect.FF: ["dp1_call"], Dialect.LEGACY: ["playlist"]}
    return dict.fromkeys(names.get(dialect, ["dp1_call", "playlist"]), cast.playlist)


def result_of(cast: Cast, leaf: Mapping[str, Any]) -> CastResult:
    """Read the reply to a cast."""
    signers = leaf.get("signers")
    return CastResult(
        method="url" if cast.playlist is None else "inline",
        deferred=leaf.get("deferred") is True,
        signature_status=text(leaf.get("signatureStatus")),
        signers=tuple(mapping(signer) for signer in signers)
        if isinstance(signers, list)
        else (),
        cast=cast,
    )
