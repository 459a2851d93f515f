"""A simulated DP-1 feed of any of the known server families."""

from .faults import (
    Cut,
    Fault,
    Paging,
    bad_gateway,
    both_signatures,
    dynamic_only,
    legacy_signature,
    nanosecond_created,
    refusal,
    tampered,
    unknown_fields,
)
from .signing import SigningKey, digest, verify
from .simulator import FeedSimulator

__all__ = [
    "Cut",
    "Fault",
    "FeedSimulator",
    "Paging",
    "SigningKey",
    "bad_gateway",
    "both_signatures",
    "digest",
    "dynamic_only",
    "legacy_signature",
    "nanosecond_created",
    "refusal",
    "tampered",
    "unknown_fields",
    "verify",
]
