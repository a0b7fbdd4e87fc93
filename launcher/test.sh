# Every test of every language, and one line of totals. Sourced by the launcher.
# shellcheck shell=bash

passed=0 failed=0 skipped=0 broken=0 failures=()

# add_junit WHAT FILE...: adds the counts of JUnit XML reports; a suite that ran nothing is broken.
add_junit() {
  local what=$1 counts p f s name
  shift
  counts=$("$state/venv/bin/python" "$POOLKEEPER_HOME/launcher/count_junit.py" "$@") || counts="0 0 0"
  {
    read -r p f s
    while read -r name; do failures+=("$what: $name"); done
  } <<< "$counts"
  if ((p + f + s == 0)); then
    echo "poolkeeper: $what ran no test" >&2
    broken=1
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# check FOLDER TOOL ARGUMENT...: runs a tool of the environment in a folder.
check() {
  echo "== $1: ${*:2}"
  (cd "$POOLKEEPER_HOME/$1" && "$state/venv/bin/$2" "${@:3}") || broken=1
}

test_java() {
  local wanted reports
  find_java
  find_maven
  echo "== Java: format, Error Prone, NullAway, tests"
  find "$POOLKEEPER_HOME" -path '*/target/surefire-reports/*.xml' -delete
  lock
  rm -f "$state/java.stamp"
  wanted=$(java_stamp)
  # Three modules at a time, for two processors: half of their tests wait.
  if maven -T 3 -ntp verify --fail-at-end < /dev/null | sed -uE 's/\x1b\[[0-9;]*m//g; /^(\[INFO\])? *$/d'; then
    echo "$wanted" > "$state/java.stamp"
  else
    broken=1
  fi
  unlock
  mapfile -t reports < <(find "$POOLKEEPER_HOME" -path '*/target/surefire-reports/TEST-*.xml')
  add_junit Java "${reports[@]}"
}

check_lab() {
  check lab ruff check
  check lab ruff format --check
  check lab mypy
}

run_lab() {
  find_java
  # In a subshell, so that what does not build is counted and the other tests still run.
  (build_java) || broken=1
  # More than there are processors: many tests wait for a run to end. They start the lab over and over, which would
  # compile its sources each time if a setting kept it from leaving them compiled.
  PYTHONDONTWRITEBYTECODE="" check lab pytest -q -n 3 --dist worksteal --junitxml="$state/lab.xml"
  add_junit lab "$state/lab.xml"
}

test_lab() {
  check_lab
  run_lab
}

run_launcher() {
  check launcher ruff check --config ../lab/pyproject.toml .
  check launcher ruff format --check --config ../lab/pyproject.toml .
  check launcher mypy --strict count_junit.py publication.py consumers.py compatibility.py sources.py tests
  check launcher pytest -q -n 2 -ra -p no:cacheprovider --rootdir . --junitxml="$state/launcher.xml" tests
}

count_launcher() {
  add_junit launcher "$state/launcher.xml"
}

test_launcher() {
  run_launcher
  count_launcher
}

# Says in a line why the tests of node/ cannot run, if they cannot.
node_is_missing() {
  local install="on Debian: apt-get install nodejs npm" version
  if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
    echo "node and npm are missing; $install"
    return
  fi
  version=$(node --version)
  version=${version#v}
  ((${version%%.*} >= 20)) || echo "Node 20 or later is needed, but this is $version; $install"
}

# check_node TOOL ARGUMENT...: runs a tool of npm's packages in node/.
check_node() {
  echo "== node: $*"
  (cd "$POOLKEEPER_HOME/node" && "$@") || broken=1
}

# Packages of npm as node/package-lock.json names them; none are fetched again while that stays the same.
install_node_packages() {
  local wanted
  wanted="$POOLKEEPER_HOME $(cksum < "$POOLKEEPER_HOME/node/package-lock.json") $(node --version)"
  [[ -f $state/node.stamp && -d $POOLKEEPER_HOME/node/node_modules && $(< "$state/node.stamp") == "$wanted" ]] && return
  rm -f "$state/node.stamp"
  quietly "installing the packages of node/" "$state/logs/npm.log" npm --prefix "$POOLKEEPER_HOME/node" ci --ignore-scripts
  echo "$wanted" > "$state/node.stamp"
}

run_node() {
  [[ -z $(node_is_missing) ]] || return 0
  # In a subshell, so that what cannot be installed is counted and the other tests still run.
  if ! (install_node_packages); then
    broken=1
    return
  fi
  rm -rf "$POOLKEEPER_HOME/node/build"
  check_node node_modules/.bin/tsc
  check_node node_modules/.bin/eslint --max-warnings 0 .
  check_node node_modules/.bin/prettier --log-level warn --check .
  check_node node --test --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=junit --test-reporter-destination="$state/node.xml" \
    "$POOLKEEPER_HOME"/node/build/test/*.test.js
}

count_node() {
  local missing
  missing=$(node_is_missing)
  if [[ -n $missing ]]; then
    echo "poolkeeper: tests of node/ skipped: $missing" >&2
    skipped=$((skipped + 1))
  else
    add_junit node "$state/node.xml"
  fi
}

test_node() {
  run_node
  count_node
}

# All that needs nothing of Java, at a low priority: it fills the time in which Java's tests wait.
run_beside_java() {
  renice -n 10 "$BASHPID" > /dev/null
  check_lab
  run_node
  run_launcher
  ((broken == 0))
}

test_all() {
  local log="$state/logs/beside-java.log" beside
  mkdir -p "$state/logs"
  # A process group of its own, so that an interruption ends its processes as well.
  set -m
  run_beside_java > "$log" 2>&1 < /dev/null &
  beside=$!
  set +m
  # shellcheck disable=SC2064 # The group of now.
  trap "kill -- -$beside 2> /dev/null || true" EXIT
  trap 'trap "" INT TERM HUP; fail 130 "interrupted"' INT TERM HUP
  test_java
  wait "$beside" || broken=1
  trap - INT TERM HUP EXIT
  cat "$log"
  run_lab
  count_node
  count_launcher
}

run_tests() {
  local part=${1:-all}
  case $part in
    all | java | lab | node | launcher) ;;
    *) fail 2 "unknown part '$part'; parts are java, lab, node and launcher" ;;
  esac
  make_environment
  rm -f "$state"/{lab,node,launcher}.xml
  "test_$part"
  if ((${#failures[@]})); then
    printf 'failed: %s\n' "${failures[@]}" >&2
  fi
  if ((broken)); then
    echo "poolkeeper: something failed, see above" >&2
    # A build or check that failed without a failed test counts as one, or the totals would lie.
    ((failed)) || failed=1
  fi
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}
