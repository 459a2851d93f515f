"""Which hosts of works answer: learned from every request of the client, and shared by all of it."""

from collections.abc import Callable
from dataclasses import dataclass
import time
from typing import Final

from .hosts import Gateway, content_of, other_urls, same_work, work_url
from .text import escaped_url, plain_host, read_url

# Seconds for which an answer counts.
DAY: Final = 86_400.0
# Seconds without requests to a host that failed and did not say for how long, and at most.
PAUSE: Final = 900.0
MAX_PAUSE: Final = 3600.0
MAX_HOSTS: Final = 256
MAX_MISSING: Final = 1024
_MISSING: Final = (404, 410)
_FIRST_ERROR: Final = 400


@dataclass(slots=True)
class HostHealth:
    """What is known of a host.

    Attributes:
        answered_at: when it last answered, as the clock has it; None if it never did.
        failed_at: when it began to fail, None if it does not.
        rests_until: until when it is not asked.
    """

    answered_at: float | None = None
    failed_at: float | None = None
    rests_until: float = 0.0


class Health:
    """Which hosts of works answer, and which of them have which work.

    Attributes:
        own: the gateway of the owner, which is the first for all content of IPFS.
    """

    own: Gateway | None = None

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Initialize with a clock, in seconds, before any answer."""
        self._clock = clock
        # The latest last; others make room.
        self._hosts: dict[str, HostHealth] = {}
        self._missing: dict[tuple[str, str], float] = {}

    def of(self, url: str) -> HostHealth:
        """Return what is known of the host of an address, nothing if it was never asked."""
        return self._hosts.get(_host(url)) or HostHealth()

    def note(
        self,
        url: str,
        status: int = 0,
        retry_after: float | None = None,
        *,
        is_expected: bool = True,
    ) -> None:
        """Note what became of a request for a work.

        Args:
            url: its address.
            status: of the answer; 0 for none in time, no address or no connection.
            retry_after: for how many seconds the host wants to be left alone, if it says so.
            is_expected: whether the answer is what was asked for, by its first bytes.
        """
        now, host = self._clock(), _host(url)
        health = self._hosts.pop(host, None) or HostHealth()
        self._hosts[host] = health
        if len(self._hosts) > MAX_HOSTS:
            del self._hosts[next(iter(self._hosts))]
        answers = 0 < status < _FIRST_ERROR
        if answers or status in _MISSING:
            health.answered_at, health.failed_at, health.rests_until = now, None, 0.0
            if not (answers and is_expected):
                self._missing[host, same_work(url)] = now
                if len(self._missing) > MAX_MISSING:
                    del self._missing[next(iter(self._missing))]
            return
        health.failed_at = health.failed_at or now
        pause = PAUSE if retry_after is None else retry_after
        health.rests_until = now + min(max(pause, 0.0), MAX_PAUSE)

    def own_url(self, url: str) -> str | None:
        """Return where content is at the gateway of the owner; None without one, and for anything else."""
        if self.own is None:
            return None
        content = content_of(url)
        if content is None or content.network != "ipfs":
            return None
        return escaped_url(content.at(self.own))

    def public_url(self, url: str) -> str:
        """Return an address at the gateway of the owner as that of a public one, and any other as it is."""
        if url != self.own_url(url) or (content := content_of(url)) is None:
            return url
        return work_url(f"ipfs://{content.named}{content.rest}")

    def urls(self, url: str, *, is_public: bool = False) -> list[str]:
        """Return where a work can be asked for now, the best first: the gateway of the owner, what an address means, then others.

        Those that rest, and those that were found not to have it, are left out unless there is no other.

        Args:
            url: an address of the work.
            is_public: whether it is for somebody who cannot use the gateway of the owner.
        """
        meant = work_url(self.public_url(url))
        if content_of(meant) is None:
            return [meant]
        work, now, own = same_work(meant), self._clock(), self.own_url(meant)
        welcome = [
            it
            for it in (
                *([] if is_public or not own else [own]),
                meant,
                *other_urls(meant),
            )
            if self.of(it).rests_until <= now
            and now - self._missing.get((_host(it), work), -DAY) >= DAY
        ]
        return welcome or [meant]

    def is_nowhere(self, url: str, *, is_public: bool = False) -> bool:
        """Return whether no host has a work, as far as is known: each fails, or was found not to have it; arguments are those of ``urls``."""
        if not any(it.failed_at for it in self._hosts.values()) and not self._missing:
            return False
        meant = work_url(self.public_url(url))
        work, now = same_work(meant), self._clock()
        own = None if is_public else self.own_url(meant)
        return all(
            self.of(it).failed_at is not None
            or now - self._missing.get((_host(it), work), -DAY) < DAY
            for it in (*([own] if own else []), meant, *other_urls(meant))
        )

    def best(self, url: str, *, is_public: bool = False) -> str:
        """Return the best address of a work now; arguments are those of ``urls``."""
        return (
            url
            if url[:5].lower() == "data:"
            else self.urls(url, is_public=is_public)[0]
        )

    def has_answers(self, age: float) -> bool:
        """Return whether any host has answered within so many seconds."""
        now = self._clock()
        return any(
            now - health.answered_at < age
            for health in self._hosts.values()
            if health.answered_at is not None
        )


def _host(url: str) -> str:
    """Return the host of an address; the gateway, where each work has an origin of its own."""
    if content := content_of(url):
        return content.host
    try:
        return plain_host(read_url(url))
    except ValueError:
        return ""
