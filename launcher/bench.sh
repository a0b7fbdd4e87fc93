# The benchmarks: every executable benchmarks/*/run. Sourced by the launcher.
# shellcheck shell=bash

# The scripts of all benchmarks, one a line.
benchmarks() {
  local script
  for script in "$POOLKEEPER_HOME"/{testbed,lab}/benchmarks/*/run; do
    if [[ -x $script ]]; then
      echo "$script"
    fi
  done
}

list_benchmarks() {
  local script
  echo "Benchmarks, started with ./poolkeeper bench NAME [options]; each prints its command, machine, ratio and spread:"
  benchmarks | while read -r script; do
    printf '  %-20s %s\n' "$(basename "$(dirname "$script")")" "$(sed -n '2s/^# *//p' "$script")"
  done
}

run_benchmarks() {
  local name=${1:-} script names=""
  if [[ -z $name || $name == --help ]]; then
    list_benchmarks
    return
  fi
  shift
  while read -r script; do
    if [[ $(basename "$(dirname "$script")") == "$name" ]]; then
      find_java
      make_environment
      build_java
      export POOLKEEPER_PYTHON="$state/venv/bin/python"
      exec "$script" "$@"
    fi
    names+="${names:+, }$(basename "$(dirname "$script")")"
  done < <(benchmarks)
  fail 2 "unknown benchmark '$name'; there are: ${names:-none}"
}
