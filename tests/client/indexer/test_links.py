"""What links, ids and addresses name."""

import pytest

from custom_components.dp1.client.indexer.links import (
    ContractLink,
    ExhibitionLink,
    Link,
    LinkError,
    LookupLink,
    Refusal,
    SeriesLink,
    TokenLink,
    chain_of,
    checked_address,
    parse_link,
)

EVM = "0x9d180d4E1dEC827190A50831A02445c28ac0AA90"
KT1 = "KT1Df3KvMmJsJibMiggokQoU6gjoMtLdWS1X"
TEIA = "KT1RJ6PbjHpwc3M5rw5s2Nbmefwbuwbdxton"
ETHEREUM_WORK = TokenLink(EVM, "78000042")
TEZOS_WORK = TokenLink(KT1, "1180342")
LINKS: dict[str, Link] = {
    f"ethereum:{EVM}:78000042": ETHEREUM_WORK,
    f"{EVM}:78000042": ETHEREUM_WORK,
    f"eip155:1:erc721:{EVM}:78000042": ETHEREUM_WORK,
    f"eip155:1/erc721:{EVM}/78000042": ETHEREUM_WORK,
    f" {EVM.lower()}:0078000042 ": ETHEREUM_WORK,
    f"tezos:{KT1}:1180342": TEZOS_WORK,
    f"{KT1}:1180342": TEZOS_WORK,
    f"tezos:mainnet:fa2:{KT1}:1180342": TEZOS_WORK,
    f"tezos:NetXdQprcVkpaWU/fa2:{KT1}/1180342": TEZOS_WORK,
    f"https://www.artblocks.io/token/{EVM}-78000042": ETHEREUM_WORK,
    f"http://artblocks.io/token/1/{EVM}/78000042/?tab=info#x": ETHEREUM_WORK,
    f"https://www.artblocks.io/marketplace/collections/{EVM}/tokens/78000042": ETHEREUM_WORK,
    "https://www.artblocks.io/collection/tidal-ledger": SeriesLink(
        "artblocks", "tidal-ledger"
    ),
    f"https://objkt.com/tokens/{KT1}/1180342?ref=someone": TEZOS_WORK,
    f"https://objkt.com/asset/{KT1}/1180342": TEZOS_WORK,
    f"https://www.artblocks.io/collections/curated/projects/{EVM}/78/tokens/78000042": ETHEREUM_WORK,
    "https://www.artblocks.io/token/2000001": TokenLink(
        "0x059EDD72Cd353dF5106D2B9cC5ab83a52287aC3a", "2000001"
    ),
    "https://artblocks.io/token/78000042/": TokenLink(
        "0xa7d8d9ef8D8Ce8992Df33D8b8CF4Aebabd5bD270", "78000042"
    ),
    "https://objkt.com/asset/hicetnunc/5": LookupLink("objkt", "hicetnunc", "5"),
    "https://objkt.com/tokens/hicetnunc/5": LookupLink("objkt", "hicetnunc", "5"),
    f"https://objkt.com/collections/{KT1}": ContractLink(KT1),
    "https://objkt.com/collections/lattice-blooms": LookupLink(
        "objkt", "lattice-blooms"
    ),
    f"https://www.fxhash.xyz/gentk/FX1-{KT1}-1180342": TEZOS_WORK,
    f"https://www.fxhash.xyz/iteration/id/FX1-{KT1}-1180342": TEZOS_WORK,
    "https://www.fxhash.xyz/iteration/lattice-bloom-88": LookupLink(
        "fxhash", "lattice-bloom-88"
    ),
    "https://www.fxhash.xyz/project/lattice-bloom": SeriesLink(
        "fxhash", "lattice-bloom"
    ),
    "https://www.fxhash.xyz/generative/slug/lattice-bloom": SeriesLink(
        "fxhash", "lattice-bloom"
    ),
    f"https://opensea.io/item/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    f"https://opensea.io/assets/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    f"https://opensea.io/assets/{EVM}/78000042": ETHEREUM_WORK,
    f"https://opensea.io/de-DE/assets/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    f"https://opensea.io/ja/item/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    f"https://superrare.com/artwork/eth/{EVM}/78000042": ETHEREUM_WORK,
    "https://superrare.com/artwork/slow-tide-1234": TokenLink(
        "0x41A322b28D0fF354040e2CbC676F0320d8c8850d", "1234"
    ),
    "https://superrare.co/artwork-v2/slow-tide-12345": TokenLink(
        "0xb932a70A57673d89f4acfFBE830E8ed7f75Fb9e0", "12345"
    ),
    f"https://superrare.com/collection/1-{EVM}": ContractLink(EVM),
    f"https://rarible.com/token/{EVM}:78000042": ETHEREUM_WORK,
    f"https://rarible.com/ethereum/items/{EVM}:78000042": ETHEREUM_WORK,
    f"https://rarible.com/token/ethereum/{EVM}:78000042?tab=bids": ETHEREUM_WORK,
    f"https://rarible.com/token/tezos/{KT1}:1180342": TEZOS_WORK,
    f"https://superrare.com/{EVM.lower()}/slow-tide-78000042": ETHEREUM_WORK,
    f"https://rarible.com/tezos/items/{KT1}:1180342": TEZOS_WORK,
    f"https://verse.works/items/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    "https://feralfile.com/exhibitions/artwork/abc123": LookupLink(
        "feralfile", "abc123"
    ),
    "https://feralfile.com/exhibitions/series/jagged-prism-1ab": ExhibitionLink(
        "series", "jagged-prism-1ab"
    ),
    "https://feralfile.com/exhibitions/shows/net-evil": ExhibitionLink(
        "exhibition", "net-evil"
    ),
    "https://feralfile.com/exhibitions/net-evil/series/3": ExhibitionLink(
        "exhibition", "net-evil"
    ),
    f"https://www.raster.art/token/ethereum/{EVM}/78000042": ETHEREUM_WORK,
    f"https://www.raster.art/token/tezos/{KT1}/1180342": TEZOS_WORK,
    "https://teia.art/objkt/5": TokenLink(TEIA, "5"),
    "https://www.hicetnunc.xyz/objkt/5": TokenLink(TEIA, "5"),
    f"https://etherscan.io/nft/{EVM}/78000042": ETHEREUM_WORK,
    f"https://etherscan.io/token/{EVM}?a=78000042": ETHEREUM_WORK,
    f"https://etherscan.io/token/{EVM}?a={EVM}": ContractLink(EVM),
    f"https://etherscan.io/address/{EVM}": ContractLink(EVM),
    f"https://tzkt.io/{KT1}/tokens/1180342": TEZOS_WORK,
}


@pytest.mark.parametrize(("text", "link"), LINKS.items())
def test_links(text: str, link: Link) -> None:
    """Every form names its work, series or contract."""
    assert parse_link(text) == link


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Net Evil",
        "https://example.org/a:1",
        f"https://objkt.com.evil.example/tokens/{KT1}/1",
        f"https://evilobjkt.com/tokens/{KT1}/1",
        f"https://user@objkt.com/tokens/{KT1}/1",
        "https://objkt.com/",
        "https://www.artblocks.io/about",
        f"https://generator.artblocks.io/{EVM}/78000042",
        f"https://objkt.com/asset/{KT1}.png",
        f"{KT1}:{'9' * 79}",
        "dp1://exhibition/x",
        "media-source://camera/camera.door",
        f"https://objkt.com/tokens/{KT1}/{'1' * 3000}",
    ],
)
def test_other_texts(text: str) -> None:
    """What is no link of a known site is left to others."""
    assert parse_link(text) is None


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (f"https://opensea.io/item/base/{EVM}/7", Refusal.OTHER_CHAIN),
        (f"https://www.artblocks.io/token/42161/{EVM}/7", Refusal.OTHER_CHAIN),
        (f"eip155:137:erc721:{EVM}:7", Refusal.OTHER_CHAIN),
        (f"tezos:{EVM}:7", Refusal.OTHER_CHAIN),
        ("https://www.artblocks.io/project/78", Refusal.OLD_PROJECT),
        ("https://opensea.io/collection/fidenza", Refusal.ONE_WORK),
        ("https://verse.works/series/x", Refusal.ONE_WORK),
        (f"https://opensea.io/assets/matic/{EVM}/7", Refusal.OTHER_CHAIN),
        (f"https://opensea.io/fr/assets/{EVM}/x", Refusal.NO_WORK),
        ("https://opensea.io/assets/solana/Ab3cD/7", Refusal.OTHER_CHAIN),
        ("https://www.fxhash.xyz/gentk/12345", Refusal.NO_WORK),
        ("https://objkt.com/tokens/hicetnunc", Refusal.NO_WORK),
        ("https://www.artblocks.io/token/x", Refusal.NO_WORK),
        ("https://superrare.com/artwork/slow-tide", Refusal.NO_WORK),
        (f"https://etherscan.io/tx/{EVM}", Refusal.NO_WORK),
        (f"{EVM}:{2**256}", Refusal.NO_WORK),
        (f"{EVM[:-1]}a:7".replace("E1d", "e1d"), Refusal.WRONG_ADDRESS),
        (f"{KT1[:-1]}Y:7", Refusal.WRONG_ADDRESS),
    ],
)
def test_refused_links(text: str, refusal: Refusal) -> None:
    """A link that cannot be resolved says why."""
    with pytest.raises(LinkError) as error:
        parse_link(text)
    assert error.value.refusal is refusal


@pytest.mark.parametrize(
    "address",
    [
        "0xBD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045",
        "0x68B6018dDBE65234FEFd7D8C266A17BcfF96cd23",
        "tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5L",
        TEIA,
    ],
)
def test_addresses(address: str) -> None:
    """A checksum is verified, and added where none was written."""
    assert checked_address(f" {address}\n") == address
    assert chain_of(address)
    if address.startswith("0x"):
        assert checked_address(address.lower()) == address
        assert checked_address(f"0X{address[2:].upper()}") == address
    else:
        with pytest.raises(ValueError, match="address"):
            checked_address(address.lower())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0x12",
        "vitalik.eth",
        "0xbD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045",
        "tz1XCrrfhQNC3M35fs1fi1BgDMSF77Psad5M",
        "tz1zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
        "BD0E21fdc68Ac573d109D5CB7EA5cEAf6c246045",
    ],
)
def test_wrong_addresses(text: str) -> None:
    """A typing error is told."""
    with pytest.raises(ValueError, match=r"address|checksum"):
        checked_address(text)
