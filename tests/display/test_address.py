"""Test parsing addresses of displays."""

import pytest

from custom_components.dp1.display.discovery import Address, parse_address

from tests.client.tables import tables

TABLES = tables("address", "display")


@pytest.mark.parametrize(("text", "expected"), TABLES["read"])
def test_every_written_form_is_read(text: str, expected: tuple[str, int]) -> None:
    """An address is an IP address, a host name, a device id or a URL."""
    assert parse_address(text) == Address(*expected)


@pytest.mark.parametrize(
    "text", [*TABLES["refused"], "a" * 100_000, "fe80::1%" + "e" * 1_000]
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (the message is not used)
        parse_address(text)


@pytest.mark.parametrize(("address", "text"), TABLES["texts"])
def test_an_address_is_shown_as_it_can_be_entered(
    address: tuple[str, int], text: str
) -> None:
    """The address that a form suggests parses to the same address."""
    assert Address(*address).text == text
    assert parse_address(text) == Address(*address)


@pytest.mark.parametrize(("host", "device_id"), TABLES["ids"])
def test_a_name_may_carry_the_id(host: str, device_id: str | None) -> None:
    """The default name of a display contains its id."""
    assert Address(host, 1111).device_id == device_id
