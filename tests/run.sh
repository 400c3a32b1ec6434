#!/usr/bin/env bash
# Runs every test of the repository, from any folder and on a fresh machine:
#
#     bash tests/run.sh
#
# It needs Python 3.10+ with its venv module and Node 18+. Everything else goes into .venv and
# tests/node_modules inside the repository (and one environment of another licence into the user's cache folder),
# and is used again while the requirements stay the same.
# All parts are run even after one has failed; the exit code is 1 if any did.
#
# On a laptop, what this machine cannot run is left out and named, with the reason. With CI=true nothing
# is left out: Debian's packages are installed (as root), and what cannot be installed is a failure.
#
#     PYTHON=python3.12 bash tests/run.sh      uses that Python
set -u
cd "$(dirname "$0")/.." || exit 1

failed=()
left_out=()

heading() { printf '\n== %s\n' "$1"; }
in_ci() { [ "${CI:-}" = true ]; }
have() { command -v "$1" >/dev/null 2>&1; }
stop() { printf 'tests/run.sh: %s\n' "$1" >&2; exit 1; }

# part NAME COMMAND...: run one part of the tests and note whether it failed.
part() {
  local name=$1
  shift
  heading "$name"
  "$@" || failed+=("$name")
}

# leave_out NAME REASON: on a laptop a part that cannot run is named; in CI that is a failure.
leave_out() {
  printf '%s: %s\n' "$1" "$2" >&2
  if in_ci; then failed+=("$1 ($2)"); else left_out+=("$1: $2"); fi
}

# ---- what the machine must have -------------------------------------------------------------------

python_is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; }

choose_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3 python; do
    if [ -n "$candidate" ] && python_is_new_enough "$candidate"; then printf '%s' "$candidate"; return; fi
  done
  return 1
}

require_node() {
  have node || stop "Node was not found. Install Node 18 or newer."
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 18 ? 1 : 0)' ||
    stop "Node $(node --version) is too old. Install Node 18 or newer."
}

# Debian's packages that some tests drive: a real browser, and the checker of systemd's units.
install_debian_packages() {
  local packages=()
  have chromium && have chromedriver || packages+=(chromium chromium-driver)
  have systemd-analyze || packages+=(systemd)
  "$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || packages+=(python3-venv)
  [ ${#packages[@]} -eq 0 ] && return
  heading "Debian packages: ${packages[*]}"
  [ "$(id -u)" -eq 0 ] || stop "CI=true needs root to install ${packages[*]}."
  apt-get update -qq >/dev/null &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null ||
    failed+=("Debian packages ${packages[*]}")
}

# ---- environments, made once and used again -------------------------------------------------------

python_of() { if [ -x "$1/Scripts/python.exe" ]; then printf '%s' "$1/Scripts/python.exe"; else printf '%s' "$1/bin/python"; fi; }

# make_environment FOLDER REQUIREMENTS...: a virtual environment holding the files' packages, the last of
# which is the one to install. A copy of what it was made from, kept inside, tells whether it still fits.
make_environment() {
  local folder=$1 wanted clear=
  shift
  wanted=$("$python" -VV && cat "$@") || return 1
  [ "$(cat "$folder/made-from.txt" 2>/dev/null)" = "$wanted" ] && return
  printf 'Making %s\n' "$folder"
  [ -f "$folder/made-from.txt" ] && clear=--clear  # ours, of another Python or older requirements
  "$python" -m venv $clear "$folder" || return 1
  "$(python_of "$folder")" -m pip install -qq --no-compile --disable-pip-version-check -r "${*: -1}" || return 1
  printf '%s\n' "$wanted" > "$folder/made-from.txt"
}

make_node_tools() {
  local wanted
  wanted=$(node --version && cat tests/package-lock.json)
  [ "$(cat tests/node_modules/made-from.txt 2>/dev/null)" = "$wanted" ] && return
  printf 'Making tests/node_modules\n'
  (cd tests && npm ci --no-audit --no-fund --loglevel=error) || return 1
  printf '%s\n' "$wanted" > tests/node_modules/made-from.txt
}

# An independent move generator to compare ours with. It is under the GPL, so it has an environment of its own and
# is only ever spoken to as a separate program: see eval/against.py.
install_independent_generator() {
  local peer
  peer=$("$venv_python" -c 'from eval.against import *; print(python_of(environment_of("pydraughts")))') || return 1
  "$peer" -c 'import draughts' >/dev/null 2>&1 && return
  printf 'Making the environment of pydraughts\n'
  "$venv_python" eval/against.py pydraughts --install
}

# The libraries of library/ and eval/, each in an environment of its own: "folder of .venv, its requirements".
library_environments=(
  "langchain library/requirements.txt"
  "openai-agents library/requirements-openai-agents.txt"
  "smolagents library/requirements-smolagents.txt"
  "mcp library/requirements-mcp.txt"
  "otel library/requirements-otel.txt"
  "dask eval/requirements-dask.txt"
)

# It prints "left out NAME" for each that could not be made. Mostly it waits for the network, so it runs beside
# other parts.
make_library_environments() {
  local each
  for each in "${library_environments[@]}"; do
    make_environment ".venv/${each% *}" "${each#* }" </dev/null || printf 'left out %s\n' "${each% *}"
  done
}

# wait_for_library_environments LOG: show what the making of them said.
wait_for_library_environments() {
  local name
  heading "Environments of the libraries"
  wait
  cat "$1"
  for name in $(sed -n 's/^left out //p' "$1"); do
    leave_out "tests of $name" "pip could not install its requirements"
  done
  rm -f "$1"
}

# ---- the parts ------------------------------------------------------------------------------------

check_javascript_types() {
  if make_node_tools; then
    node tests/node_modules/typescript/bin/tsc --project tests/tsconfig.json
  else
    leave_out "JavaScript types" "npm could not install tests/package.json"
  fi
}

node_tests() {
  local reporter=()
  node --help | grep -q -- --test-reporter && reporter=(--test-reporter=spec)
  node --test ${reporter[@]+"${reporter[@]}"} tests/test_*.js
}

python=$(choose_python) || stop "Python 3.10 or newer was not found. Install it, or name it: PYTHON=/path/to/python."
require_node
in_ci && install_debian_packages

heading "Environments"
make_environment .venv requirements.txt tests/requirements.txt ||
  stop "could not make .venv. On Debian: apt-get install python3-venv. It needs a package index that pip can reach."
venv_python=$(python_of .venv)
install_independent_generator ||
  leave_out "moves against pydraughts, an independent generator" "its environment could not be made"

libraries_log=$(mktemp)
make_library_environments >"$libraries_log" 2>&1 &

part "Lint (ruff)" "$venv_python" -m ruff check .
part "Types of agentkit (mypy)" "$venv_python" -m mypy
part "Types of the JavaScript (tsc)" check_javascript_types
part "JavaScript tests (node --test)" node_tests
wait_for_library_environments "$libraries_log"

if [ ${#left_out[@]} -gt 0 ]; then
  heading "Left out on this machine"
  printf '%s\n' "${left_out[@]}"
fi

part "Python tests (pytest; what it skips is listed with the reason)" \
  "$venv_python" -m pytest -q --numprocesses=auto --dist=loadfile

if [ ${#failed[@]} -gt 0 ]; then
  printf '\nFailed: %s\n' "${failed[@]}" >&2
  exit 1
fi
