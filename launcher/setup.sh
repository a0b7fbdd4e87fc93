# Finding and setting up what the launcher needs. Sourced; every function ends with one clear line if it cannot.
# shellcheck shell=bash

state="$POOLKEEPER_HOME/.poolkeeper"

# The first MariaDB that is started keeps its programs and empty tables here for the others.
export POOLKEEPER_MARIADB="${POOLKEEPER_MARIADB:-$state/mariadb}"

fail() {
  local code=$1
  shift
  echo "poolkeeper: $*" >&2
  exit "$code"
}

# Says in a few words why a command failed, if it is something that the reader can mend.
cause() {
  local left_kb
  # Not every tool says so when the disk is full.
  left_kb=$(df -Pk "$state" | sed -nE '$s/.* ([0-9]+) +[0-9]+%.*/\1/p')
  if grep -q 'No space left on device' "$1" || ((${left_kb:-0} < 1024)); then
    echo "the disk is full"
  elif grep -qE 'name resolution|Unknown host|UnknownHost|Network is unreachable|Connection refused|Connect timed out|NewConnectionError|Cannot access .* in offline mode' "$1"; then
    echo "no network, or a proxy that has to be set"
  elif grep -qE 'Permission denied|AccessDenied|Read-only file system' "$1"; then
    echo "a file or folder cannot be written"
  fi
}

# The lines of a log that tell what went wrong: its errors, each once and without Maven's advice, or its end.
errors() {
  sed -E 's/\x1b\[[0-9;]*m//g' "$1" | grep -E 'ERROR|error|Error' | grep -vE '^\[ERROR\] *$|^\[ERROR\] +(->|To see|Re-run|For more|After correcting|mvn <args>|\[Help)' |
    awk '!seen[$0]++ && shown++ < 12' | grep . || tail -n 12 "$1"
}

# Ends the process group of the last background command, unless that is the one that is given.
end_all_but() {
  local tries
  [[ ${!:-} != "$1" ]] || return 0
  # Again and again: a signal that arrives between the fork of a command and its start is lost.
  for ((tries = 0; tries < 100; tries++)); do
    kill -- "-$!" 2> /dev/null && kill -0 "$!" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL -- "-$!" 2> /dev/null || true
  wait 2> /dev/null || true
}

# quietly WHAT LOG COMMAND...: runs a command with its output in a log, showing that it goes on.
quietly() {
  local what=$1 log=$2 start=$SECONDS code=0 child why before=${!:-}
  shift 2
  mkdir -p "$(dirname "$log")" 2> /dev/null || fail 1 "cannot write $(dirname "$log")"
  # Before the command starts: from then on an interruption has something to end.
  trap 'trap "" INT TERM HUP; end_all_but "$before"; fail 130 "interrupted while $what; the next start does it again"' INT TERM HUP
  # A process group of its own, so that an interruption ends the processes that it started as well.
  set -m
  "$@" > "$log" 2>&1 < /dev/null &
  child=$!
  set +m
  if [[ -t 2 && -z ${CI:-} ]]; then
    local frames="|/-\\" frame=0
    while kill -0 "$child" 2> /dev/null; do
      printf '\r%s %s … %d s ' "${frames:frame++ % 4:1}" "$what" $((SECONDS - start)) >&2
      sleep 0.1
    done
    printf '\r\033[K' >&2
  else
    echo "$what …" >&2
  fi
  wait "$child" || code=$?
  trap - INT TERM HUP
  ((code == 0)) && return
  why=$(cause "$log")
  [[ -n $why ]] || errors "$log" >&2
  fail 1 "$what failed${why:+: $why} (log: $log)"
}

# One launcher sets up at a time; the others wait for it. Held until this process ends or releases it.
lock() {
  mkdir -p "$state" 2> /dev/null || fail 1 "cannot write $state"
  { exec 9> "$state/lock"; } 2> /dev/null || fail 1 "cannot write $state/lock"
  if ! flock -n 9; then
    echo "another poolkeeper is setting up, waiting for it …" >&2
    flock 9
  fi
}

unlock() {
  exec 9>&-
}

# The version of a JDK, out of its release file where there is one: starting it takes longer than all the rest of a start.
java_major() {
  local version=""
  if [[ -r $1/release ]]; then
    version=$(sed -nE 's/^JAVA_VERSION="([^"]*)"$/\1/p' "$1/release")
  fi
  [[ -n $version ]] || version=$("$1/bin/javac" -version 2>&1 | sed -nE 's/^javac //p')
  version=${version#1.} # Java 8 called itself 1.8
  echo "${version%%[!0-9]*}"
}

# Sets JAVA_HOME to a JDK of 17 or later: the one that is set, the one on the path, or one in the usual place.
find_java() {
  local candidate major seen="" on_path
  on_path=$(command -v javac || true)
  for candidate in "${JAVA_HOME:-}" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path")")")}" "${POOLKEEPER_JVMS:-/usr/lib/jvm}"/*; do
    [[ -n $candidate && -x $candidate/bin/javac ]] || continue
    major=$(java_major "$candidate")
    if [[ -n $major ]] && ((major >= 17)); then
      export JAVA_HOME=$candidate
      return
    fi
    seen="$candidate is Java ${major:-of an unknown version}"
  done
  fail 1 "no JDK 17 or later${seen:+ ($seen)}; install one, on Debian: apt-get install openjdk-17-jdk-headless, or set JAVA_HOME"
}

find_maven() {
  local version install="install version 3.8 or later, on Debian: apt-get install maven"
  command -v mvn > /dev/null || fail 1 "no Maven (mvn); $install"
  version=$(mvn -v 2> /dev/null | sed -nE 's/.*Apache Maven ([0-9]+\.[0-9]+).*/\1/p')
  if [[ -z $version ]] || ((${version%.*} < 3 || (${version%.*} == 3 && ${version#*.} < 8))); then
    fail 1 "Maven is ${version:-of an unknown version}; $install"
  fi
}

# Sets python to an interpreter of 3.11 or later that can make environments.
find_python() {
  local candidate
  for candidate in python3.13 python3.12 python3.11 python3; do
    if command -v "$candidate" > /dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      python=$candidate
      "$python" -c 'import ensurepip' 2> /dev/null || fail 1 "$python cannot make environments; on Debian: apt-get install python3-venv"
      return
    fi
  done
  fail 1 "no Python 3.11 or later; on Debian: apt-get install python3 python3-venv"
}

# Stamp of all that the environment of the lab depends on; its interpreter comes last, because only an environment can tell it.
environment_stamp() {
  echo "$POOLKEEPER_HOME $(cksum < "$POOLKEEPER_HOME/lab/pyproject.toml") $("$state/venv/bin/python" --version 2> /dev/null)"
}

environment_is_current() {
  [[ -f $state/venv.stamp && -x $state/venv/bin/python && $(< "$state/venv.stamp") == "$(environment_stamp)" ]]
}

# The environment of the lab, made anew when what it installs changes or when it was moved. The stamp is written
# last: one that was interrupted half-way has none.
make_environment() {
  environment_is_current && return
  find_python
  lock
  if ! environment_is_current; then
    rm -rf "$state/venv" "$state/venv.stamp"
    quietly "making the Python environment" "$state/logs/venv.log" "$python" -m venv "$state/venv"
    quietly "installing the lab" "$state/logs/pip.log" "$state/venv/bin/pip" install --disable-pip-version-check -e "$POOLKEEPER_HOME/lab[test]"
    environment_stamp > "$state/venv.stamp"
  fi
  unlock
}

# Stamp of all that the Java build depends on: the JDK, and names, sizes and times of all sources.
java_stamp() {
  echo "$JAVA_HOME $(find "$POOLKEEPER_HOME" \( -name target -o -name .git -o -name .poolkeeper -o -name node_modules -o -path "$POOLKEEPER_HOME/runs" \) -prune -o \
    -type f \( -name pom.xml -o -path '*/src/main/*' \) -printf '%P %s %T@\n' | LC_ALL=C sort | cksum)"
}

java_is_current() {
  [[ -f $state/java.stamp && $(< "$state/java.stamp") == "$1" ]] || return
  local sources
  for sources in "$POOLKEEPER_HOME"/{*,*/*}/src/main/java; do
    [[ ! -d $sources || -d ${sources%/src/main/java}/target/classes ]] || is_built_apart "$sources" || return
  done
}

# Whether a module is one of the examples that only a profile of the root pom builds, so that nobody has to wait for it.
is_built_apart() {
  local module=${1#"$POOLKEEPER_HOME/"}
  sed -n '/<id>examples<\/id>/,/<\/profile>/p' "$POOLKEEPER_HOME/pom.xml" | grep -qF "<module>${module%/src/main/java}</module>"
}

# Has the servers' virtual machines share what they load until they are ready: with actors that halves the time. Where it does not
# come about, they start without it.
archive_servers() {
  local target="$POOLKEEPER_HOME/testbed/servers/target" architecture
  rm -f "$target/servers.jsa"
  for architecture in blocking nio-disruptor nio2 seda-actor netty-queue; do
    echo "[\"--application\", \"prime\", \"--architecture\", \"$architecture\"]"
  done | "$JAVA_HOME/bin/java" -XX:+UseG1GC -XX:ArchiveClassesAtExit="$target/servers.jsa" -cp "$target/lib/*" io.poolkeeper.testbed.servers.SeriesMain
}

# maven OPTION...: Maven, all of whose compilations share what they load of Error Prone: to load it takes longer than to
# compile. .mvn/jvm.config names the folder of the loader from here, since a path may hold blanks. Where it does not come
# about, each compilation loads its own.
maven() {
  local loader="$state/compiler/io/poolkeeper/launcher/ProcessorLoader.class" source="$POOLKEEPER_HOME/launcher/ProcessorLoader.java"
  cd "$POOLKEEPER_HOME" || return
  if [[ ! -f $loader || $source -nt $loader ]]; then
    "$JAVA_HOME/bin/javac" --release 17 -d "$state/compiler" "$source" || true
  fi
  exec mvn -B -Dstyle.color=never -f "$POOLKEEPER_HOME/pom.xml" "$@"
}

build_java() {
  local wanted
  wanted=$(java_stamp)
  java_is_current "$wanted" && return
  find_maven
  lock
  if ! java_is_current "$wanted"; then
    rm -f "$state/java.stamp"
    quietly "building the Java parts with $JAVA_HOME" "$state/logs/java.log" \
      maven -q package -Dmaven.test.skip=true -Dspotless.check.skip=true
    archive_servers > "$state/logs/archive.log" 2>&1 || true
    echo "$wanted" > "$state/java.stamp"
  fi
  unlock
}
