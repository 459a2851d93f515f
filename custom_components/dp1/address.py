"""Where a display is, in every form a person writes it."""

from ipaddress import IPv6Address, ip_address
import re
from typing import NamedTuple

from yarl import URL

from .const import DEFAULT_PORT

DEVICE_ID = re.compile(r"FF1-[A-Z0-9][A-Z0-9-]{0,58}", re.IGNORECASE)


class Address(NamedTuple):
    """A host and a port."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """The address as a person would write it."""
        if self.port == DEFAULT_PORT:
            return self.host
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def device_id(self) -> str | None:
        """The device id that a name like ``ff1-ab12cd34.local`` carries."""
        label = self.host.removesuffix(".local")
        return label.upper() if DEVICE_ID.fullmatch(label) else None


def parse_address(text: str) -> Address:
    """Read an IP address, a name, a device id or a URL, with or without a port; ValueError for anything else."""
    text = text.strip()
    if not text:
        raise ValueError("empty")
    try:
        return Address(str(_ip(text)), DEFAULT_PORT)
    except ValueError:
        url = URL(text if "://" in text else f"http://{text}")
    host = (url.host or "").rstrip(".")
    if (
        url.scheme not in ("http", "https")
        or not host
        or url.user
        or url.password
        or re.search(r"\s", host)
    ):
        raise ValueError(text)
    if DEVICE_ID.fullmatch(host):
        host = f"{host}.local"
    return Address(host, url.explicit_port or DEFAULT_PORT)


def _ip(text: str) -> object:
    """Read a bare IP address; a zone and the brackets of a URL are allowed with IPv6."""
    if text.startswith("[") and text.endswith("]"):
        return IPv6Address(text[1:-1])
    return ip_address(text)
