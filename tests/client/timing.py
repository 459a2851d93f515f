"""How long the client waits in tests."""

import pytest

from custom_components.dp1.client.catalog import client as catalog
from custom_components.dp1.client.feed import connection as feed_connection


def impatient(monkeypatch: pytest.MonkeyPatch, seconds: float = 1.0) -> None:
    """Do not wait long for servers that are in trouble.

    Args:
        monkeypatch: undoes it.
        seconds: for one exchange.
    """
    monkeypatch.setattr(catalog, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(catalog, "TIMEOUT_SECONDS", seconds)
    monkeypatch.setattr(feed_connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(feed_connection, "READ_TIMEOUT", seconds)
    monkeypatch.setattr(feed_connection, "WRITE_TIMEOUT", seconds)
