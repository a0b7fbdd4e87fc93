# Start of the benchmarks that are Java programs. Sourced by their run scripts.
# shellcheck shell=bash

here=$(dirname "$(readlink -f "$0")")
POOLKEEPER_TESTBED=$(dirname "$(dirname "$here")")

# start_benchmark MODULE CLASS OPTION... -- ARGUMENT...: a class of a module of the testbed, with options of the virtual machine, takes the script's place.
start_benchmark() {
  local target=$POOLKEEPER_TESTBED/$1/target class=io.poolkeeper.testbed.$1.$2 terminal=false
  local -a options=()
  shift 2
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  if [[ ! -d $target/lib ]]; then
    echo "poolkeeper: the testbed is not built; start this with ./poolkeeper bench $(basename "$here")" >&2
    exit 1
  fi
  [[ ! -t 2 ]] || terminal=true
  exec "${JAVA_HOME:-/usr}/bin/java" "${options[@]}" -Dpoolkeeper.terminal="$terminal" -cp "$target/classes:$target/lib/*" "$class" "$@"
}
