"""What a language lacks, and which of its texts were made from an English text that has changed since.

The English text of each translation is remembered by a short hash, in ``tests/fixtures/translated.json``.
"""

import argparse
from collections.abc import Iterator, Mapping
from hashlib import sha256
import json
from pathlib import Path
import sys
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "custom_components" / "dp1" / "translations"
RECORD = ROOT / "tests" / "fixtures" / "translated.json"
DIGITS = 8

type Texts = dict[str, str]
type Record = dict[str, Texts]


def leaves(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a tree with its path."""
    for key, value in tree.items():
        here = f"{path}.{key}".removeprefix(".")
        if isinstance(value, dict):
            yield from leaves(value, here)
        else:
            yield here, value


def texts(language: str, folder: Path = FOLDER) -> Texts:
    """Return the texts of a language by their paths."""
    return dict(leaves(json.loads((folder / f"{language}.json").read_text("utf-8"))))


def languages(folder: Path = FOLDER) -> list[str]:
    """Return the languages other than English."""
    return sorted(path.stem for path in folder.glob("*.json") if path.stem != "en")


def mark(text: str) -> str:
    """Return the short hash by which an English text is remembered."""
    return sha256(text.encode()).hexdigest()[:DIGITS]


def read_record() -> Record:
    """Return the hashes of the English texts that translations were made from, by language and path."""
    record: Record = {}
    for path, hashes in json.loads(RECORD.read_text("utf-8")).items():
        for digits, names in hashes.items():
            for language in names.split():
                record.setdefault(language, {})[path] = digits
    return record


def write_record(record: Record) -> None:
    """Write the hashes, a line for each path, since most languages are translated together."""
    lines: dict[str, dict[str, str]] = {}
    for language, made_from in sorted(record.items()):
        for path, digits in made_from.items():
            names = lines.setdefault(path, {})
            names[digits] = f"{names.get(digits, '')} {language}".strip()
    rows = (f"{json.dumps(path)}: {json.dumps(lines[path])}" for path in sorted(lines))
    RECORD.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


def missing(english: Texts, translated: Texts) -> list[str]:
    """Return the paths that a language lacks."""
    return sorted(english.keys() - translated.keys())


def stale(english: Texts, translated: Texts, made_from: Texts) -> list[str]:
    """Return the paths whose English text is not the one that the translation was made from."""
    return sorted(
        path
        for path in english.keys() & translated.keys()
        if made_from.get(path) != mark(english[path])
    )


def marked(
    english: Texts, translated: Texts, made_from: Texts, paths: list[str]
) -> Texts:
    """Return the record of a language after some paths, or all of a folder of them, were translated anew."""

    def is_meant(path: str) -> bool:
        """Return whether a path is one of those, or below one."""
        return any(path == each or path.startswith(f"{each}.") for each in paths)

    return {
        path: mark(english[path]) if not paths or is_meant(path) else made_from[path]
        for path in sorted(english.keys() & translated.keys())
        if not paths or is_meant(path) or path in made_from
    }


def main(arguments: list[str] | None = None) -> int:
    """List what is to be translated, or note that it was."""
    parser = argparse.ArgumentParser(
        prog="scripts/translations", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("language", nargs="?", help="as de; without one, all")
    parser.add_argument(
        "--translated",
        nargs="*",
        metavar="PATH",
        help="note that these texts (or all below a path; without one, all of the language) fit the English text of now",
    )
    options = parser.parse_args(arguments)
    chosen = [options.language] if options.language else languages()
    if unknown := set(chosen) - set(languages()):
        parser.error(f"no translations/{unknown.pop()}.json")
    english, record = texts("en"), read_record()
    for language in chosen:
        translated, made_from = texts(language), record.get(language, {})
        if options.translated is not None:
            made_from = marked(english, translated, made_from, options.translated)
            record[language] = made_from
        for kind, paths in (
            ("missing", missing(english, translated)),
            ("stale", stale(english, translated, made_from)),
        ):
            for path in paths:
                print(f"{language}\t{kind}\t{path}\t{english[path]}")
    if options.translated is not None:
        write_record(record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
