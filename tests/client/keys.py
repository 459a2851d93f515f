"""Errors by the key of their text."""

from collections.abc import Callable
from typing import Any


def keyed(key: str) -> Callable[[Any], bool]:
    """Return what tells whether an error has a key, also that of a whole text."""
    return lambda err: key == (err.translation_key or err.key)
