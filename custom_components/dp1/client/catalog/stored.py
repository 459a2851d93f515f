"""Records of the catalog as they are stored."""

from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

type Json = dict[str, Any]


def record_to_store(record: DataclassInstance) -> Json:
    """Return the fields that differ from their defaults, in JSON's own types."""
    return {
        field.name: _plain(value)
        for field in fields(record)
        if (value := getattr(record, field.name)) != field.default
    }


def _plain(value: object) -> object:
    """Return a value in JSON's own types."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return record_to_store(value)
    return value
