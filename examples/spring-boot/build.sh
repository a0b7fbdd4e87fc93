#!/usr/bin/env bash
# Builds the service with the starter.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
mvn -q -B -Pexamples -Dmaven.test.skip=true package -pl examples/spring-boot -am
