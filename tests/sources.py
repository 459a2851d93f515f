"""The syntax trees of the project, for tests of its structure."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
INTEGRATION = ROOT / "custom_components" / "dp1"
PACKAGE = "custom_components.dp1"


@cache
def modules(folder: Path) -> dict[str, ast.Module]:
    """Parse every module below a folder of the project, by its dotted name; a package has the name of its folder."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(), str(path))
    return found


def imports(name: str, tree: ast.Module, known: set[str]) -> set[str]:
    """Return the absolute names that a module imports, also for types; a known module is named rather than its package."""
    package = (
        name
        if any(other.startswith(f"{name}.") for other in known)
        else name.rpartition(".")[0]
    )
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            members = {f"{base}.{alias.name}" for alias in node.names}
            found.update(member if member in known else base for member in members)
    return found


def inside(name: str, package: str) -> bool:
    """Return whether a dotted name is a package or something in it."""
    return name == package or name.startswith(f"{package}.")


def strings(node: ast.AST) -> Iterator[str]:
    """Return every string literal in a tree."""
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value
