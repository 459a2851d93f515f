"""Settings of a simulated feed."""

from collections.abc import Callable
from dataclasses import dataclass, field
import random
import time
import uuid

from .signing import SigningKey


@dataclass(slots=True)
class Settings:
    """Settings that the rules of a feed need; ``now`` is in nanoseconds since 1970."""

    api_key: str
    key: SigningKey
    extensions: bool = True
    random: random.Random = field(default_factory=random.Random)
    now: Callable[[], int] = time.time_ns

    def new_id(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))
