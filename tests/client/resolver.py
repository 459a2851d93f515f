"""A resolver of names that answers from memory."""

from socket import AF_INET, AI_NUMERICHOST, AddressFamily
from typing import override

from aiohttp.abc import AbstractResolver, ResolveResult


class Names(AbstractResolver):
    """A resolver that returns this machine for every name.

    Attributes:
        address: of every name, none if there is no such name.
        ports: to be connected to instead of that of the request, one after the other.
    """

    def __init__(self, *ports: int) -> None:
        self.ports = ports
        self.asked = 0
        self.address: str | None = "127.0.0.1"

    @override
    async def resolve(
        self, host: str, port: int = 0, family: AddressFamily = AF_INET
    ) -> list[ResolveResult]:
        self.asked += 1
        if self.address is None:
            raise OSError(None, "there is no such name")
        return [
            ResolveResult(
                hostname=host,
                host=self.address,
                port=each,
                family=AF_INET,
                proto=0,
                flags=AI_NUMERICHOST,
            )
            for each in self.ports or [port]
        ]

    @override
    async def close(self) -> None:
        """Close nothing."""
