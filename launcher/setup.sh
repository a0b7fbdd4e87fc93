# Finding and setting up what the launcher needs. Sourced; every function ends with one clear line if it cannot.

state="$TIDEPOOL_HOME/.tidepool"

fail() {
  local code=$1
  shift
  echo "tidepool: $*" >&2
  exit "$code"
}

# quietly WHAT LOG COMMAND...: runs a command with its output in a log, showing that it goes on.
quietly() {
  local what=$1 log=$2 start=$SECONDS
  shift 2
  mkdir -p "$(dirname "$log")" || fail 1 "cannot write $(dirname "$log")"
  "$@" > "$log" 2>&1 &
  local child=$!
  trap 'kill "$child" 2> /dev/null; wait "$child" 2> /dev/null; exit 130' INT TERM
  if [[ -t 2 && -z ${CI:-} ]]; then
    while kill -0 "$child" 2> /dev/null; do
      printf '\r%s … %d s ' "$what" $((SECONDS - start)) >&2
      sleep 0.2
    done
    printf '\r\033[K' >&2
  else
    echo "$what …" >&2
  fi
  local code=0
  wait "$child" || code=$?
  trap - INT TERM
  if ((code != 0)); then
    grep -E 'ERROR|error|Error|No space' "$log" | head -n 12 >&2 || tail -n 12 "$log" >&2
    fail 1 "$what failed (log: $log)"
  fi
}

# One launcher sets up at a time; the others wait for it. Held until this process ends or releases it.
lock() {
  mkdir -p "$state" || fail 1 "cannot write $state"
  exec 9> "$state/lock"
  if ! flock -n 9; then
    echo "another tidepool is setting up, waiting for it …" >&2
    flock 9
  fi
}

unlock() {
  exec 9>&-
}

java_major() {
  "$1/bin/javac" -version 2>&1 | sed -nE 's/^javac ([0-9]+).*/\1/p'
}

# Sets JAVA_HOME to a JDK of 17 or later: the one that is set, the one on the path, or one in the usual place.
find_java() {
  local candidate major seen=""
  local on_path
  on_path=$(command -v javac || true)
  for candidate in "${JAVA_HOME:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path")")")}" "${TIDEPOOL_JVMS:-/usr/lib/jvm}"/*; do
    [[ -n $candidate && -x $candidate/bin/javac ]] || continue
    major=$(java_major "$candidate")
    if [[ -n $major ]] && ((major >= 17)); then
      export JAVA_HOME=$candidate
      return
    fi
    seen="$candidate is Java $major"
  done
  fail 1 "no JDK 17 or later${seen:+ ($seen)}; install one, on Debian: apt-get install openjdk-17-jdk-headless, or set JAVA_HOME"
}

find_maven() {
  command -v mvn > /dev/null || fail 1 "no Maven (mvn); install version 3.8 or later, on Debian: apt-get install maven"
}

# Sets python to an interpreter of 3.11 or later.
find_python() {
  local candidate
  for candidate in python3.13 python3.12 python3.11 python3; do
    if command -v "$candidate" > /dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      python=$candidate
      return
    fi
  done
  fail 1 "no Python 3.11 or later; on Debian: apt-get install python3 python3-venv"
}

# The environment of the lab, made anew when what it installs changes or when it was moved.
environment_is_made() {
  [[ -f $state/venv.stamp && $(< "$state/venv.stamp") == "$1" && -x $state/venv/bin/python ]]
}

make_environment() {
  local wanted
  wanted="$TIDEPOOL_HOME $(cksum < "$TIDEPOOL_HOME/lab/pyproject.toml") $("$python" --version)"
  if environment_is_made "$wanted"; then
    return
  fi
  lock
  if environment_is_made "$wanted"; then
    unlock
    return
  fi
  rm -rf "$state/venv" "$state/venv.stamp"
  "$python" -c 'import ensurepip' 2> /dev/null || fail 1 "Python has no venv; on Debian: apt-get install python3-venv"
  quietly "making the Python environment" "$state/logs/venv.log" "$python" -m venv "$state/venv"
  quietly "installing the lab" "$state/logs/pip.log" "$state/venv/bin/pip" install --disable-pip-version-check -e "$TIDEPOOL_HOME/lab[test]"
  echo "$wanted" > "$state/venv.stamp"
  unlock
}

# What the Java build depends on: names, sizes and times of all sources.
java_sources() {
  find "$TIDEPOOL_HOME" \( -name target -o -name .git -o -name .tidepool -o -name node_modules \) -prune -o \
    -type f \( -name pom.xml -o -path '*/src/main/*' \) -printf '%P %s %T@\n' | LC_ALL=C sort | cksum
}

java_is_built() {
  [[ -f $state/java.stamp && $(< "$state/java.stamp") == "$1" && -d $TIDEPOOL_HOME/testbed/servers/target/lib ]]
}

build_java() {
  local wanted
  wanted="$JAVA_HOME $(java_sources)"
  if java_is_built "$wanted"; then
    return
  fi
  find_maven
  lock
  # Another launcher may have built it while this one waited.
  if java_is_built "$wanted"; then
    unlock
    return
  fi
  rm -f "$state/java.stamp"
  quietly "building the Java parts" "$state/logs/java.log" \
    mvn -q -B -f "$TIDEPOOL_HOME/pom.xml" package -DskipTests -Dspotless.check.skip=true
  echo "$wanted" > "$state/java.stamp"
  unlock
}
