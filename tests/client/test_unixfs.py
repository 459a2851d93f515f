"""Test that files of IPFS are judged by the hashes of their blocks."""

from collections.abc import Generator
from typing import Any

import pytest

from custom_components.dp1.client.unixfs import MAX_BLOCKS, UncheckedError, judge

from tests.simulators.ipfs import DAG_PB, Node, cid_of, counted, part, written

CONTENT = bytes(range(256)) * 100


def verdict(
    node: Node,
    cid: bytes,
    content: bytes,
    path: str = "",
    asked: list[str] | None = None,
) -> bool:
    """Judge a file, with blocks of a node."""
    judging: Generator[bytes, Any, bool] = judge(
        cid, path, len(content), lambda start, length: content[start : start + length]
    )
    block = None
    while True:
        try:
            wanted = written(judging.send(block))
        except StopIteration as end:
            return bool(end.value)
        if asked is not None:
            asked.append(wanted)
        block = node.blocks.get(wanted, b"")


@pytest.mark.parametrize("has_raw_leaves", [True, False])
@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize("size", [1, 999, 1000, 1001, 4000, 4001, 25_600])
def test_files(has_raw_leaves: bool, is_packed: bool, size: int) -> None:
    """Whole files are what their CIDs name; a byte more, less or other, or another order, is not; leaves are not asked for."""
    node = Node(has_raw_leaves=has_raw_leaves, is_packed=is_packed)
    content = CONTENT[:size]
    cid = node.add(content)
    asked: list[str] = []
    assert verdict(node, cid, content, asked=asked)
    leaves = -(-size // node.chunk)
    assert len(asked) <= 1 + leaves // 2
    for other in (
        content + b"x",
        content[:-1] + bytes([content[-1] ^ 1]),
        content[1:] + content[:1] if size > 256 else b"y" * size,
    ):
        if other != content:
            assert not verdict(node, cid, other)


def test_a_folder() -> None:
    """The file is found by its path; one that is not in the folder is another."""
    node = Node()
    inner = node.folder(a__png=node.add(CONTENT))
    cid = node.folder(pictures=inner, b__png=node.add(b"b"))
    assert verdict(node, cid, CONTENT, "/pictures/a.png")
    assert not verdict(node, cid, CONTENT, "/b.png")
    assert not verdict(node, cid, CONTENT, "/c.png")


def test_what_cannot_be_judged() -> None:
    """Blocks that are not to be had, of another kind, or too many leave a file unchecked."""
    node = Node()
    cid = node.add(CONTENT)
    folder = node.folder(a=cid)
    for other, path in (
        # A list of a folder in place of a file, a file in place of a folder.
        (folder, ""),
        (cid, "/a"),
        (Node().put(DAG_PB, b"\xff\xff"), ""),
        # A folder in many blocks, another hash, another codec, no CID at all.
        (node.put(DAG_PB, part(1, counted(1, 5))), "/a"),
        (b"\x01\x70\x16\x20" + bytes(32), ""),
        (b"\x01\x71\x12\x20" + bytes(32), ""),
        (b"\x01", ""),
        (cid_of(DAG_PB, b"nowhere"), ""),
        # Links without sizes.
        (node.put(DAG_PB, part(2, part(1, cid)) + part(1, counted(1, 2))), ""),
    ):
        with pytest.raises(UncheckedError):
            verdict(node, other, CONTENT, path)
    deep = Node(chunk=10, width=2)
    long = CONTENT[: 20 * MAX_BLOCKS * 2]
    with pytest.raises(UncheckedError):
        verdict(deep, deep.add(long), long)


@pytest.mark.parametrize("path", ["", "/a"])
def test_blocks_of_others(path: str) -> None:
    """A gateway that answers with the block of another file or folder judges nothing."""
    node = Node()
    cid, other = (node.add(content) for content in (CONTENT, CONTENT[::-1]))
    if path:
        cid, other = node.folder(a=cid), node.folder(a=other)
    node.blocks[written(cid)] = node.blocks[written(other)]
    with pytest.raises(UncheckedError):
        verdict(node, cid, CONTENT[::-1], path)


@pytest.mark.parametrize(
    "block",
    [b"\x08", b"\x0a\x05abc", b"\x09" + bytes(8), bytes(50_000)],
    ids=["cut", "short", "other", "many"],
)
def test_blocks_that_make_no_sense(block: bytes) -> None:
    """They are read within bounds, and judge nothing."""
    node = Node()
    with pytest.raises(UncheckedError):
        verdict(node, node.put(DAG_PB, block), CONTENT)
    inside = node.put(DAG_PB, part(1, block))
    with pytest.raises(UncheckedError):
        verdict(node, inside, CONTENT)
    number = node.put(DAG_PB, part(2, b"\x08\x01") + part(1, counted(1, 1)))
    with pytest.raises(UncheckedError):
        verdict(node, number, CONTENT, "/a")


def test_identity() -> None:
    """A CID that is the content itself needs no block."""
    cid = b"\x01\x55\x00\x06hello\n"
    assert verdict(Node(), cid, b"hello\n")
    assert not verdict(Node(), cid, b"hallo\n")
