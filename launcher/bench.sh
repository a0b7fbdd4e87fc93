# The benchmarks: every executable benchmarks/*/run. Sourced by the launcher.

list_benchmarks() {
  local script
  for script in "$TIDEPOOL_HOME"/testbed/benchmarks/*/run; do
    [[ -x $script ]] || continue
    printf '  %-20s %s\n' "$(basename "$(dirname "$script")")" "$(sed -n '2s/^# *//p' "$script")"
  done
}

run_benchmarks() {
  local name=${1:-} script
  if [[ -z $name || $name == --help ]]; then
    echo "Benchmarks, started with ./tidepool bench NAME [options]; each prints its command, machine, ratio and spread:"
    list_benchmarks
    return
  fi
  shift
  script="$TIDEPOOL_HOME/testbed/benchmarks/$name/run"
  [[ -x $script ]] || fail 2 "unknown benchmark '$name'; there are: $(list_benchmarks | awk '{printf "%s ", $1}')"
  find_java
  find_python
  make_environment
  build_java
  export TIDEPOOL_PYTHON="$state/venv/bin/python"
  exec "$script" "$@"
}
