#!/usr/bin/env bash
# The README's two commands, each on a fresh clone, on a machine that is imitated to have only git, Node, npm and pip:
# an empty HOME and a PATH of nothing else. Usage: test/clean-machine/run.sh [start|test]  (default: both)
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for tool in git sh bash env node npm npx pip python3; do
  ln -s "$(readlink -f "$(command -v "$tool")")" "$work/bin/$tool" 2>/dev/null || true
done

clean() { # clean FOLDER COMMAND…
  local folder=$1
  shift
  (cd "$folder" && env -i HOME="$work/home-$(basename "$folder")" PATH="$work/bin" LANG=C.UTF-8 "$@")
}

clone() {
  git clone --quiet . "$work/$1"
  mkdir "$work/home-$1"
}

run_start() {
  clone start
  clean "$work/start" npm ci
  clean "$work/start" npm start >"$work/start.txt" 2>&1 &
  local npm_pid=$!
  for _ in $(seq 600); do
    grep -q '^curl ' "$work/start.txt" && break
    kill -0 "$npm_pid" 2>/dev/null || break
    sleep 0.5
  done
  cat "$work/start.txt"
  grep '^curl ' "$work/start.txt" >"$work/curl.sh"
  echo '--- the printed curl, twice'
  bash "$work/curl.sh" | tail -n 3
  bash "$work/curl.sh" | tail -n 3
  echo '--- npx baton trace list, trace last'
  clean "$work/start" npx baton trace list
  clean "$work/start" npx baton trace last
  kill -TERM "$npm_pid"
  wait "$npm_pid" || true
  tail -n 3 "$work/start.txt"
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
