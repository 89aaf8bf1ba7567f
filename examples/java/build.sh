#!/bin/sh
# Makes target/players.jar from the protos and src/. Maven fetches all that it needs, protoc too.
set -eu
for program in javac mvn; do
    command -v "$program" >/dev/null && continue
    echo "$program is missing: install a JDK, 17 or newer, and Maven (Debian: default-jdk-headless and maven)" >&2
    exit 1
done
cd "$(dirname "$0")"

mvn --batch-mode --no-transfer-progress --quiet package
