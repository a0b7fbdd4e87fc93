# The compatibility table: tests of the integrations with versions of hosts and JDKs. Sourced by the launcher.
# shellcheck shell=bash

describe_compatibility() {
  cat <<'END'
./poolkeeper compatibility [--jdk 17 | 21 | 25]... [--host NAME]... [--list]

Runs the tests of the integrations on the classes that are published, each cell with a version of the host on a JDK, and writes
the cells that ran into docs/compatibility.csv and the table docs/compatibility.md. Other cells stay as they are. A cell takes
ten seconds to a minute, all of them a quarter of an hour.

--jdk N      only this JDK; default: those of 17, 21 and 25 that are in /usr/lib/jvm, or in POOLKEEPER_JVMS
--host NAME  only this host, such as tomcat-11 or jetty; may be given again
--list       shows the cells and runs nothing

Example: ./poolkeeper compatibility --jdk 25 --host tomcat-11 --host jetty
END
}

compatibility() {
  local work="$state/compatibility"
  # shellcheck source=launcher/publish.sh
  source "$POOLKEEPER_HOME/launcher/publish.sh"
  find_python
  find_java
  find_maven
  mkdir -p "$work" "$state/logs" 2> /dev/null || fail 1 "cannot write $work"
  if [[ " $* " != *" --list "* ]]; then
    exec 8> "$work/lock"
    flock -n 8 || fail 1 "another compatibility runs in this tree"
    copy_sources
  fi
  # Not in the place of the launcher, which has a copy to delete.
  "$python" "$POOLKEEPER_HOME/launcher/compatibility.py" "$work/source" "$state/logs" "${POOLKEEPER_JVMS:-/usr/lib/jvm}" "$@"
}
