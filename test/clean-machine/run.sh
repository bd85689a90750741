#!/usr/bin/env bash
# The README's two commands, each on a fresh clone, on a machine that is imitated to have only git, Node, npm and pip:
# an empty HOME and a PATH of nothing else. Usage: test/clean-machine/run.sh [start|test]  (default: both)
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
npm_pid=
finish() {
  [ -z "$npm_pid" ] || { kill -TERM "$npm_pid" && wait "$npm_pid"; } 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
mkdir "$work/bin"
for tool in git sh bash env node npm npx; do
  ln -s "$(readlink -f "$(command -v "$tool")")" "$work/bin/$tool"
done
# What python3 and pip on PATH may only lead to, such as pyenv's shims, needs more of the machine than there will be.
python=$(python3 -c 'import sys; print(sys.executable)')
ln -s "$python" "$work/bin/python3"
printf '#!/bin/sh\nexec python3 -m pip "$@"\n' >"$work/bin/pip"
chmod +x "$work/bin/pip"

clean_here() { # clean_here COMMAND…: this shell becomes the command, in a folder below $work
  exec env -i HOME="$work/home-$(basename "$PWD")" PATH="$work/bin" LANG=C.UTF-8 "$@"
}

clean() { # clean FOLDER COMMAND…
  (cd "$1" && shift && clean_here "$@")
}

clone() {
  git clone --quiet . "$work/$1"
  mkdir "$work/home-$1"
}

run_start() {
  clone start
  clean "$work/start" npm ci
  (cd "$work/start" && clean_here npm start) >"$work/start.txt" 2>&1 &
  npm_pid=$!
  for _ in $(seq 600); do
    grep -q '^curl ' "$work/start.txt" && break
    kill -0 "$npm_pid" 2>/dev/null || break
    sleep 0.5
  done
  cat "$work/start.txt"
  grep '^curl ' "$work/start.txt" >"$work/curl.sh"
  ! grep 'could not be fetched' "$work/start.txt" || exit 1
  echo '--- the printed curl, twice'
  bash "$work/curl.sh" | tail -n 3
  bash "$work/curl.sh" | tail -n 3
  echo '--- npx baton trace list, trace last'
  clean "$work/start" npx baton trace list
  clean "$work/start" npx baton trace last
  kill -TERM "$npm_pid"
  wait "$npm_pid" || true
  npm_pid=
  # npm goes at once; what it started notices and stops by itself.
  for _ in $(seq 10); do
    grep -q '^Stopping' "$work/start.txt" && break
    sleep 0.5
  done
  tail -n 5 "$work/start.txt"
  grep -q '^Stopping' "$work/start.txt"
  sleep 5
  ! ps -A -o args= | grep -F "$work/start/" | grep -v grep || exit 1
}

run_test() {
  clone test
  clean "$work/test" npm ci
  clean "$work/test" npm test
}

case "${1:-both}" in
  start) run_start ;;
  test) run_test ;;
  both) run_start && run_test ;;
  *) echo "usage: $0 [start|test]" >&2 && exit 2 ;;
esac
