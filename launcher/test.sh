# Every test of every language, and one line of totals. Sourced by the launcher.

passed=0 failed=0 skipped=0 broken=0

# add_junit FILE...: adds the counts of JUnit XML reports; a suite that ran nothing is broken.
add_junit() {
  local what=$1 counts
  shift
  counts=$("$state/venv/bin/python" "$TIDEPOOL_HOME/launcher/count_junit.py" "$@") || counts="0 0 0"
  local p f s
  read -r p f s <<< "$counts"
  if ((p + f + s == 0)); then
    echo "tidepool: $what ran no test" >&2
    broken=1
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

step() {
  echo "== $*"
}

test_java() {
  find_java
  find_maven
  step "Java: format, Error Prone, NullAway, ArchUnit, tests"
  find "$TIDEPOOL_HOME" -path '*/target/surefire-reports/*.xml' -delete
  rm -f "$state/java.stamp"
  mvn -B -ntp -f "$TIDEPOOL_HOME/pom.xml" verify --fail-at-end | grep -Ev '^\[INFO\] *$|Downloading|Downloaded' || broken=1
  mapfile -t reports < <(find "$TIDEPOOL_HOME" -path '*/target/surefire-reports/TEST-*.xml')
  add_junit Java "${reports[@]}"
}

check() {
  step "lab: $*"
  (cd "$TIDEPOOL_HOME/lab" && "$state/venv/bin/$1" "${@:2}") || broken=1
}

test_lab() {
  find_java
  build_java
  check ruff check
  check ruff format --check
  check mypy
  check pytest -q --junitxml="$state/lab.xml"
  add_junit lab "$state/lab.xml"
}

test_launcher() {
  step "launcher"
  (cd "$TIDEPOOL_HOME/launcher" && "$state/venv/bin/pytest" -q -p no:cacheprovider --junitxml="$state/launcher.xml" tests) || broken=1
  add_junit launcher "$state/launcher.xml"
}

run_tests() {
  local part=${1:-all}
  find_python
  make_environment
  mkdir -p "$state"
  rm -f "$state"/lab.xml "$state"/launcher.xml
  case $part in
    all)
      test_java
      test_lab
      test_launcher
      ;;
    java | lab | launcher) "test_$part" ;;
    *) fail 2 "unknown part '$part'; parts are java, lab and launcher" ;;
  esac
  ((broken)) && echo "tidepool: something failed, see above" >&2
  # A build or check that failed without a failed test counts as one, or the totals would lie.
  ((broken && !failed)) && failed=1
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0))
}
