"""Test where works are: hosts that moved, networks of content, hosts that ended."""

from hypothesis import example, given, settings, strategies as st
import pytest

from custom_components.dp1.client import hosts
from custom_components.dp1.client.cid import cid_text, read_cid
from custom_components.dp1.client.hosts import (
    ASSETS_URL,
    content_of,
    has_ended,
    is_plain,
    is_web,
    loaded_url,
    other_urls,
    same_work,
    work_url,
)

OLD, NEW = "https://cdn.feralfileassets.com", "https://cdn.artworks.feralfile.io"
# One content in the two versions of its CID, and in other bases.
V0 = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
V1 = "bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34"
HEX = f"f{read_cid(V0).hex()}"
FETCHING = "https://ipfs.filebase.io/ipfs"
ID = "-bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_"
OWN_ORIGIN = f"https://{V1}.ipfs.ipfs.hypha.coop"

MOVED = [
    (f"{OLD}/previews/a/1/preview.mp4", f"{NEW}/previews/a/1/preview.mp4"),
    (f"{OLD}/thumbnails/a/1", f"{NEW}/thumbnails/a/1"),
    (
        f"{OLD}/previews/a/1/?edition_number=3&blockchain=bitmark",
        f"{NEW}/previews/a/1/index.html?edition_number=3&blockchain=bitmark",
    ),
    (
        f"{OLD}/previews/a/1/_unique-previews/0/",
        f"{NEW}/previews/a/1/_unique-previews/0/index.html",
    ),
    (f"{OLD}/previews/a/1/#x", f"{NEW}/previews/a/1/index.html#x"),
    (
        f"{OLD}/previews/a/1/nft.html?next=/",
        f"{NEW}/previews/a/1/nft.html?next=/",
    ),
    (
        f"{OLD}/a/index.html?clip={OLD}/misc/clips",
        f"{NEW}/a/index.html?clip={NEW}/misc/clips",
    ),
    (f"{NEW}/previews/a/1/?e=1", f"{NEW}/previews/a/1/index.html?e=1"),
    (f"https://example.com/?u={OLD}/x", f"https://example.com/?u={NEW}/x"),
    (f"{OLD}/", f"{NEW}/"),
    ("https://example.com/previews/a/", "https://example.com/previews/a/"),
    # Beyond the table.
    ("http://CDN.FeralFileAssets.com.:443/a/?b", f"{NEW}/a/index.html?b"),
    (OLD, NEW),
    (
        "https://example.com/?u=https%3A%2F%2Fcdn.feralfileassets.com%2Fx",
        "https://example.com/?u=https%3A%2F%2Fcdn.artworks.feralfile.io%2Fx",
    ),
    (f"{OLD}@example.com/a/", f"{OLD}@example.com/a/"),
    (f"{OLD}.example.com/a/", f"{OLD}.example.com/a/"),
    ("https://xcdn.feralfileassets.com/a", "https://xcdn.feralfileassets.com/a"),
]
CONTENT = [
    (f"ipfs://{V0}/a.png", f"{FETCHING}/{V0}/a.png"),
    (f"IPFS:ipfs/{V0}", f"{FETCHING}/{V0}"),
    (f"ipfs:///ipfs/{HEX}/a.png", f"{FETCHING}/{HEX}/a.png"),
    (f"https://ipfs.io/ipfs/{V1}/a.png", f"{FETCHING}/{V1}/a.png"),
    (f"http://IPFS.io:8080/ipfs/{V1}/a.png", f"{FETCHING}/{V1}/a.png"),
    (f"https://dweb.link./ipfs/{V1}/a.png?b#c", f"{FETCHING}/{V1}/a.png?b#c"),
    (f"https://{V1.upper()}.IPFS.W3S.Link/a.png", f"{FETCHING}/{V1}/a.png"),
    (f"https://{V1}.ipfs.nftstorage.link", f"{FETCHING}/{V1}"),
    (f"https://house.infura-ipfs.io/ipfs/{V0}/a.png", f"{FETCHING}/{V0}/a.png"),
    (f"https://ipfs.infura.io:5001/ipfs/{V0}/W?.png", f"{FETCHING}/{V0}/W%3F.png"),
    (f"ipfs://{V0}/Name #525.png", f"{FETCHING}/{V0}/Name%20%23525.png"),
    # Web works go where each has an origin of its own.
    (f"ipfs://{V0}/?fxhash=oo1#a", f"{OWN_ORIGIN}/?fxhash=oo1#a"),
    (f"ipfs://{V0}?fxhash=oo1", f"{OWN_ORIGIN}/?fxhash=oo1"),
    (f"https://ipfs.io/ipfs/{V0}/index.html", f"{OWN_ORIGIN}/index.html"),
    (f"ar://{ID}/a.png", f"https://turbo-gateway.com/{ID}/a.png"),
    (f"ar:/{ID}?x=1", f"https://turbo-gateway.com/{ID}?x=1"),
    (f"https://arweave.net/raw/{ID}", f"https://turbo-gateway.com/{ID}"),
    (f"https://{'a2' * 26}.arweave.dev/{ID}/a", f"https://turbo-gateway.com/{ID}/a"),
    ("onchfs://ab/?fxhash=oo1", "https://onchfs.fxhash2.xyz/ab/?fxhash=oo1"),
    # A gateway that is not known to have ended is as good as any.
    (f"https://art.example/ipfs/{V0}/a.png", f"https://art.example/ipfs/{V0}/a.png"),
    (
        f"https://gateway.pinata.cloud/ipfs/{V0}/A #1.png",
        f"https://gateway.pinata.cloud/ipfs/{V0}/A%20%231.png",
    ),
]
# What cannot be loaded, whatever is done.
NOWHERE = [
    "ipns://art.example/a.png",
    "https://ipfs.io/ipns/art.example/a.png",
    "https://art-example.ipns.dweb.link/a.png",
    "https://ipfs.io/a.png",
    f"ipfs://{V0}/../../admin",
    f"ipfs://{V0}/%2e%2e/admin",
    f"ipfs://{V0}/a%2fb",
    f"ipfs://{V0}/a\\b",
    f"ipfs://..%2f{V0}",
    f"https://ipfs.io/ipfs/{V0}/%2E./x",
    "ipfs://bafy/a.png",
    f"ipfs://{V0[:-1]}/a.png",
    f"ipfs://{V1.replace('6', '8')}",
    "ipfs:",
    "ar:",
    "ar://tx",
    f"ar://{ID}x",
    "ar://../x",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:image/png;base64,xx",
    "https://",
    "https://[::1",
    "",
    None,
    7,
]


@pytest.mark.parametrize(("sent", "meant"), MOVED + CONTENT)
def test_an_address_means(sent: str, meant: str) -> None:
    """An address is where it is now; a second time changes nothing, and blanks around it count for nothing."""
    assert work_url(sent) == work_url(f" {sent}\n") == work_url(meant) == meant
    assert same_work(sent) == same_work(meant) == same_work(same_work(sent))


@pytest.mark.parametrize("sent", NOWHERE)
def test_what_is_nowhere(sent: object) -> None:
    """What names no content, leads out of it or is at a host that ended is nowhere, and is not led anywhere else."""
    assert loaded_url(sent) is None
    if isinstance(sent, str):
        assert not is_web(work_url(sent)) or has_ended(work_url(sent))


def test_gateways_that_ended() -> None:
    """No gateway that ended is used, and each of them is known."""
    for each in hosts.GATEWAYS.values():
        assert not [it for it in each if has_ended(it.url)]
    for host in (
        *("ipfs.io", "gateway.ipfs.io", "dweb.link", "w3s.link", "inbrowser.link"),
        *("nftstorage.link", "storacha.link", "cloudflare-ipfs.com", "cf-ipfs.com"),
        *("ipfs.infura.io", "infura-ipfs.io", "art.infura-ipfs.io", "ipfs.fleek.co"),
    ):
        for url in (
            f"https://{host}/ipfs/{V1}/a.png",
            f"http://{V1}.ipfs.{host}:80/a.png",
        ):
            assert has_ended(url)
            assert work_url(url) == f"{FETCHING}/{V1}/a.png"
    assert not has_ended(f"https://ipfs.io@art.example/ipfs/{V1}")
    assert not has_ended("https://docs.ipfs.io/ipfs")
    assert not has_ended("https://art.ipfs.example/ipfs")


def test_a_work_of_the_vendor() -> None:
    """Its catalog is at its own gateway, which has nothing else."""
    vendor = f"https://ipfs.feralfile.com/ipfs/{V0}/"
    assert work_url(f"ipfs://{V0}/", of_vendor=True) == vendor
    assert other_urls(vendor)[0] == f"{OWN_ORIGIN}/"
    assert vendor not in other_urls(f"{OWN_ORIGIN}/")


@pytest.mark.parametrize(("rest", "is_page"), [("/a.png", False), ("/", True)])
def test_the_other_gateways(rest: str, is_page: bool) -> None:
    """Whatever is content has other addresses, web works only where they run."""
    url = f"https://gateway.pinata.cloud/ipfs/{V0}{rest}"
    others = other_urls(url)
    assert url not in others
    assert len(others) == len(set(others)) >= 5
    assert all(same_work(it) == same_work(url) for it in others)
    again = other_urls(others[0])
    assert (url in again) is not is_page
    assert other_urls(f"https://art.example{rest}") == []


def test_the_same_content() -> None:
    """A CID is the same in each version and base, and at each gateway."""
    names = [
        f"ipfs://{V0}/",
        f"ipfs://{V1}",
        f"https://ipfs.io/ipfs/{HEX}/",
        f"https://{V1}.ipfs.dweb.link/",
        f"https://art.example/ipfs/{V1}/",
    ]
    assert {same_work(name) for name in names} == {f"ipfs://{V1}"}
    assert same_work(f"ipfs://{V0}/a") != same_work(f"ipfs://{V0}/b")
    for host in ("arweave.net", "www.arweave.net", "arweave.dev", "ardrive.net"):
        for origin in (host, f"{'a2' * 26}.{host}"):
            for path in (ID, f"{ID}/", f"raw/{ID}", f"/raw/{ID}/"):
                assert same_work(f"https://{origin}/{path}") == f"ar://{ID}"
    assert content_of(f"https://arweave.net/{ID[1:]}") is None
    for url in (
        f"https://ipfs.foundation.app/ipfs/{V0}/a",
        f"https://d2ybmb80bbm9ts.cloudfront.net/{V0}/a",
    ):
        assert same_work(url) == f"ipfs://{V1}/a"
    assert content_of("https://d2ybmb80bbm9ts.cloudfront.net/a.png") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b",
        "Qm",
        "z",
        f"b{'a' * 200}",
        "k51",
        f"{V1}=",
        f" {V1}",
        f"{V0}é",
        "bä",
        "f0",
        f"Qm{'z' * 44}",
        "f0255000100",
        "uAQ",
    ],
)
def test_what_is_no_cid(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="not a CID"):
        read_cid(text)


@given(st.binary(min_size=1, max_size=64))
def test_a_cid_is_read_as_written(digest: bytes) -> None:
    """What is written is read."""
    data = b"\x01\x55\x00" + bytes([len(digest)]) + digest
    assert read_cid(cid_text(data)) == data


PARTS = [
    *("ipfs:", "ar:", "/", "/", ".", "%2f", "?", "#", "\\", " ", "a", V1, "/ipfs/"),
    *(
        "https://",
        OLD,
        NEW,
        "ipfs.io",
        ".ipfs.dweb.link",
        "ü",
        ":80",
        "@",
        "arweave.net",
    ),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=10).map("".join))
@example("https://ipfs.io:/ipfs/")
def test_any_address(text: str) -> None:
    """Whatever is written never fails, and nothing changes a second time."""
    once = work_url(text)
    assert work_url(once) == once
    assert same_work(same_work(text)) == same_work(text)
    assert isinstance(has_ended(text), bool)
    for url in (text, f"{ASSETS_URL}/{text}"):
        if is_plain(url):
            assert loaded_url(url, of_vendor=True) == url == same_work(url)
            assert work_url(url) == url and content_of(url) is None
    if content := content_of(text):
        assert ".." not in content.rest.split("?")[0].split("/")
