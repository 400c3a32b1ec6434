#!/usr/bin/env bash
# Installs this repository as a nightly service on a Linux machine with systemd:
#
#     sudo bash deploy/install.sh
#
# It copies the project to /opt/draughts-agents, makes its virtual environment (with nothing in it: the main job
# needs no packages), gives data/ and reports/ to www-data, installs the two units and starts the timer. Run again,
# it updates the program and leaves data/ and reports/ as they are.
#
# It does not install Node, Python, Ollama or a model: it stops and says which is missing, or warns.
#
#     PYTHON=/usr/bin/python3.12 …   makes the environment with that Python (otherwise /usr/bin/python3)
#     DESTDIR=/some/folder …         puts everything below that folder and starts nothing
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
root=${DESTDIR:-}
target=$root/opt/draughts-agents
units=$root/etc/systemd/system
python=${PYTHON:-/usr/bin/python3}
node=/usr/bin/node
user=www-data

stop() { printf 'install.sh: %s\n' "$1" >&2; exit 1; }
warn() { printf 'install.sh: %s\n' "$1" >&2; }

[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || stop "run it as root: sudo bash deploy/install.sh"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
  stop "$python is missing or older than 3.10. Name another one: PYTHON=/path/to/python."
[ -x "$node" ] || warn "$node is missing. Install Node 18 or newer, or set NODE_BINARY in the service."
id "$user" >/dev/null 2>&1 || warn "there is no user $user. Set User= and Group= in the service."

printf 'Copying to %s\n' "$target"
mkdir -p "$target" "$units"
for entry in agentkit agents devtools engine static train web deploy \
  run_team.py show_trace.py ratings.py LICENSE README.md; do
  rm -rf "${target:?}/$entry"
  cp -R "$here/$entry" "$target/$entry"
done
for folder in data reports; do
  mkdir -p "$target/$folder"
  cp "$here/$folder/README.md" "$target/$folder/"
done
"$python" -m venv --without-pip --clear "$target/venv"

if [ "$(id -u)" -eq 0 ] && id "$user" >/dev/null 2>&1; then
  chown -R "$user:$user" "$target/data" "$target/reports"
fi

cp "$here/deploy/draughts-agents.service" "$here/deploy/draughts-agents.timer" "$units/"
if [ -n "$root" ]; then
  printf 'Installed below %s; nothing was started.\n' "$root"
else
  systemctl daemon-reload
  systemctl enable --now draughts-agents.timer
  systemctl list-timers draughts-agents.timer --no-pager
fi
