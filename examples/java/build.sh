#!/bin/sh
# Makes target/players.jar from the protos and src/. Maven fetches all that it needs, protoc too.
set -eu
cd "$(dirname "$0")"

mvn --batch-mode --no-transfer-progress --quiet package
