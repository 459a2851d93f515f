"""Test what is learned of the hosts of works."""

import pytest

from custom_components.dp1.client.health import DAY, MAX_PAUSE, PAUSE, Health
from custom_components.dp1.client.hosts import GATEWAYS, content_of, work_url

CID = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
PICTURE, PAGE = f"ipfs://{CID}/a.png", f"https://ipfs.io/ipfs/{CID}/"


class Clock:
    """A clock that is set."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(clock)


def host(url: str) -> str:
    content = content_of(url)
    assert content is not None
    return content.host


@pytest.mark.parametrize("url", [PICTURE, PAGE])
def test_the_order(health: Health, url: str) -> None:
    """At first it is that of the table, and the address itself comes first; what is in no network has one address."""
    urls = health.urls(url)
    assert urls[0] == health.best(url) == work_url(url)
    assert len(urls) > 4
    kept = f"https://gateway.pinata.cloud/ipfs/{CID}/a.png"
    assert health.best(kept) == kept
    assert health.urls("https://art.example/a") == ["https://art.example/a"]
    assert health.best("data:,x") == "data:,x"


@pytest.mark.parametrize(
    ("retry_after", "pause"), [(None, PAUSE), (20.0, 20.0), (1e9, MAX_PAUSE), (-5, 0)]
)
def test_a_gateway_that_limits(
    health: Health, clock: Clock, retry_after: float | None, pause: float
) -> None:
    """It is left alone as long as it asks for, and then is the first again."""
    first, second = health.urls(PICTURE)[:2]
    health.note(first, 429, retry_after)
    if pause:
        clock.now += pause - 1
        assert health.best(PICTURE) == health.best(first) == second
        clock.now += 1
    assert health.best(PICTURE) == first


@pytest.mark.parametrize("status", [0, 403, 500, 503])
def test_a_gateway_that_fails(health: Health, clock: Clock, status: int) -> None:
    """It is left alone for a while each time, until it answers."""
    first = health.best(PICTURE)
    began = clock.now
    for _ in range(3):
        health.note(first, status)
        clock.now += PAUSE - 1
        assert health.best(PICTURE) != first
        clock.now += 1
        assert health.best(PICTURE) == first
    assert health.of(first).failed_at == began
    health.note(first, status)
    health.note(first, 200)
    assert health.best(PICTURE) == first
    assert health.of(first).failed_at is None


@pytest.mark.parametrize(("status", "is_expected"), [(404, True), (200, False)])
def test_a_work_that_a_gateway_has_not(
    health: Health, clock: Clock, status: int, is_expected: bool
) -> None:
    """The next one is asked for this work, and it for all others; a list of a folder is no work."""
    first, second = health.urls(PICTURE)[:2]
    health.note(first, status, is_expected=is_expected)
    assert health.best(PICTURE) == second
    assert host(health.best(f"ipfs://{CID}/b.png")) == host(first)
    assert health.of(first).answered_at == clock.now
    clock.now += DAY
    assert health.best(PICTURE) == first


def test_all_gateways_end(health: Health) -> None:
    """Where none answers, the first is asked again."""
    for gateway in GATEWAYS["ipfs"]:
        health.note(f"{gateway.url}/ipfs/{CID}/a.png")
    assert health.best(PICTURE) == work_url(PICTURE)


def test_few_are_kept(health: Health) -> None:
    """Strangers name any number of hosts."""
    for number in range(5000):
        health.note(f"https://{number}.example/a", 404)
    assert len(health._hosts) <= 256
    assert len(health._missing) <= 1024
