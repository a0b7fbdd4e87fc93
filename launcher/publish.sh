# A publication in a folder: a Maven repository, the wheel and the npm package. Sourced by the launcher.
# shellcheck shell=bash

describe_publish() {
  cat <<'END'
./poolkeeper publish --local DIR [--without PART] [--since DIR]
./poolkeeper publish --check DIR

--local DIR      builds a clean copy of the sources and writes to DIR, which must be new, empty or written by an earlier publish:
                 DIR/maven   a Maven repository: BOM, jars, sources, javadoc, POMs, checksums
                 DIR/python  the wheel and the source distribution of the lab
                 DIR/npm     the package of node/
                 DIR/publication.json  names and SHA-256 of all files, the commit and the JDK
                 The same sources and JDK give the same bytes. Nothing of the testbed is published.
--without PART   leaves out python or npm; may be given twice
--since DIR      refuses to publish jars that break programs compiled against the publication in DIR, such as the last release
--check DIR      uses a publication as others would: a Maven project imports the BOM and runs, a Gradle project does where Gradle is
                 installed, the wheel and the npm package are installed into fresh folders and run

Example: ./poolkeeper publish --local ~/poolkeeper-repository; docs/publishing.md shows how a project uses it.
END
}

# tell_publication ARGUMENT...: a step of launcher/publication.py.
tell_publication() {
  "$python" "$POOLKEEPER_HOME/launcher/publication.py" "$@"
}

# Copies the sources, so that a build neither meets what an earlier one left nor disturbs what runs from this tree.
# The copy goes when the launcher ends: its reports and sources are not those of this tree.
copy_sources() {
  copied=$work
  trap 'rm -rf "$copied"/{source,python,npm,stage,api}' EXIT
  rm -rf "$work"/{source,python,npm}
  mkdir -p "$work"/{source,python,npm}
  tar -C "$POOLKEEPER_HOME" --exclude=target --exclude=node_modules --exclude=build --exclude=__pycache__ --exclude='.*_cache' \
    --exclude=./.git --exclude=./.poolkeeper --exclude=./runs --exclude=./experiments -cf - . | tar -C "$work/source" -xf -
}

publish_jars() {
  local api=()
  find_java
  find_maven
  if [[ -n $since ]]; then
    tell_publication earlier-jars "$since" "$work/api" || exit
    api=(-Papi "-Dapi.since=$work/api")
  fi
  quietly "building jars, sources and javadoc with $JAVA_HOME" "$state/logs/publish-maven.log" \
    mvn -T 2 -q -B -Dstyle.color=never -f "$work/source/pom.xml" -Ppublish -pl "$(tell_publication modules)" package \
    -Dmaven.test.skip=true -Dspotless.check.skip=true "${api[@]}"
}

publish_wheel() {
  local wanted
  wanted="$work $(cksum < "$POOLKEEPER_HOME/launcher/publish.sh")"
  if [[ ! -f $work/tools.stamp || $(< "$work/tools.stamp") != "$wanted" ]]; then
    rm -rf "$work/tools" "$work/tools.stamp"
    quietly "making the environment that builds the wheel" "$state/logs/publish-venv.log" "$python" -m venv "$work/tools"
    quietly "installing hatchling" "$state/logs/publish-pip.log" "$work/tools/bin/pip" install --disable-pip-version-check 'hatchling>=1.25'
    echo "$wanted" > "$work/tools.stamp"
  fi
  quietly "building the wheel" "$state/logs/publish-wheel.log" \
    env -C "$work/source/lab" "$work/tools/bin/python" -m hatchling build --target wheel --target sdist --directory "$work/python"
}

publish_npm() {
  install_node_packages
  ln -s "$POOLKEEPER_HOME/node/node_modules" "$work/source/node/node_modules"
  quietly "packing node/" "$state/logs/publish-npm.log" env -C "$work/source/node" npm pack --pack-destination "$work/npm"
}

# The commit that is published, and whether the tree differs from it.
current_commit() {
  local commit
  commit=$(git -C "$POOLKEEPER_HOME" rev-parse HEAD 2> /dev/null) || return 0
  [[ -z $(git -C "$POOLKEEPER_HOME" status --porcelain 2> /dev/null) ]] || commit+="-dirty"
  echo "$commit"
}

write_publication() {
  local folder=$1 missing commit
  tell_publication refuse-foreign "$folder" || exit
  if [[ -n $since ]]; then tell_publication verify "$since" > /dev/null || exit; fi
  missing=$(node_is_missing)
  [[ $without == *npm* || -z $missing ]] || fail 1 "$missing, or leave it out with --without npm"
  commit=$(current_commit)
  [[ $commit != *-dirty ]] || echo "poolkeeper: this tree has changes without a commit; publication.json says so" >&2
  mkdir -p "$work" 2> /dev/null || fail 1 "cannot write $work"
  exec 8> "$work/lock"
  flock -n 8 || fail 1 "another publish runs in this tree"
  copy_sources
  publish_jars
  [[ $without == *python* ]] || publish_wheel
  [[ $without == *npm* ]] || publish_npm
  tell_publication write "$work" "$folder" --commit "$commit" --jdk "$(sed -n 's/^IMPLEMENTOR_VERSION="\(.*\)"$/\1/p; t; s/^JAVA_VERSION="\(.*\)"$/\1/p' "$JAVA_HOME/release" | head -n 1)"
}

# check_publication FOLDER: uses it as strangers would.
check_publication() {
  tell_publication verify "$1" || exit
  find_java
  find_maven
  mkdir -p "$work" "$state/logs"
  exec "$python" "$POOLKEEPER_HOME/launcher/consumers.py" "$1" "$work" "$state/logs"
}

publish() {
  local work="$state/publish" folder="" used="" without="" since=""
  # shellcheck source=launcher/test.sh
  source "$POOLKEEPER_HOME/launcher/test.sh"
  while (($#)); do
    case $1 in
      --local | --check | --since) [[ -n ${2:-} ]] || fail 2 "$1 needs a folder, such as $1 /tmp/poolkeeper-repository" ;;
      --without) [[ ${2:-} == python || ${2:-} == npm ]] || fail 2 "--without must be python or npm, but is '${2:-}'" ;;
      *) fail 2 "unknown option '$1'; options are --local DIR, --without PART, --since DIR and --check DIR" ;;
    esac
    case $1 in
      --local) folder=$2 ;;
      --check) used=$2 ;;
      --since) since=$2 ;;
      --without) without+=" $2" ;;
    esac
    shift 2
  done
  [[ -n $folder || -n $used ]] || fail 2 "give --local DIR to write a publication, or --check DIR to use one"
  find_python
  if [[ -n $folder ]]; then write_publication "$folder"; fi
  if [[ -n $used ]]; then check_publication "$used"; fi
}
