"""Test parsing addresses of displays."""

import pytest

from custom_components.dp1.display.discovery import Address, parse_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("192.168.1.20", ("192.168.1.20", 1111)),
        ("192.168.1.20:1234", ("192.168.1.20", 1234)),
        ("http://192.168.1.20:1111/api/cast?x=1", ("192.168.1.20", 1111)),
        ("https://wall.example.org/", ("wall.example.org", 1111)),
        ("http://192.168.1.20:80", ("192.168.1.20", 80)),
        ("fd00::1", ("fd00::1", 1111)),
        ("[fd00::1]:1234", ("fd00::1", 1234)),
        ("http://[fd00::1]:1234/", ("fd00::1", 1234)),
        ("fe80::1%eth0", ("fe80::1%eth0", 1111)),
        ("Wall.lan:1234", ("wall.lan", 1234)),
        ("FF1-AB12CD34.local.", ("ff1-ab12cd34.local", 1111)),
        ("FF1-AB12CD34", ("ff1-ab12cd34.local", 1111)),
        ("http://FF1-AB12CD34.local:1111", ("ff1-ab12cd34.local", 1111)),
    ],
)
def test_every_written_form_is_read(text: str, expected: tuple[str, int]) -> None:
    """An address is an IP address, a host name, a device id or a URL."""
    assert parse_address(text) == Address(*expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "file:///etc/passwd",
        "http://",
        "http://user:secret@192.168.1.20",
        "the wall",
        "wall:port",
        "192.168.1.20:99999",
        "[fd00::1",
        "[192.168.1.20]",
        "http://[nonsense]/",
        "http://xn--a/",
        "http://%zz/",
        "http://192.168.1.20:0",
        "a\x00b",
        "a..b",
        "\ud800",
        "a" * 100_000,
        "fe80::1%" + "e" * 1_000,
    ],
)
def test_everything_else_is_refused(text: str) -> None:
    """An invalid address raises."""
    with pytest.raises(ValueError):  # noqa: PT011  (the message is not used)
        parse_address(text)


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (Address("192.168.1.20", 1111), "192.168.1.20"),
        (Address("192.168.1.20", 1234), "192.168.1.20:1234"),
        (Address("fd00::1", 1111), "fd00::1"),
        (Address("fd00::1", 1234), "[fd00::1]:1234"),
    ],
)
def test_an_address_is_shown_as_it_can_be_entered(address: Address, text: str) -> None:
    """The address that a form suggests parses to the same address."""
    assert address.text == text
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("host", "device_id"),
    [
        ("ff1-ab12cd34.local", "FF1-AB12CD34"),
        ("ff1-.local", None),
        ("wall.local", None),
        ("192.168.1.20", None),
    ],
)
def test_a_name_may_carry_the_id(host: str, device_id: str | None) -> None:
    """The default name of a display contains its id."""
    assert Address(host, 1111).device_id == device_id
