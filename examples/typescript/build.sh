#!/bin/sh
# Makes src/gen/ from the protos and dist/ from src/. PROTOC names another protoc, if it is not on the PATH.
set -eu
cd "$(dirname "$0")"

# The generator, in the version that package-lock.json names.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

protos="fairplay/v1/player.proto fairplay/v1/connection.proto
        fairplay/fish/v1/fish.proto fairplay/fish/v1/fish_player.proto
        fairplay/q/v1/q.proto fairplay/q/v1/q_player.proto"
rm -rf src/gen dist && mkdir src/gen
${PROTOC:-protoc} -I ../../proto --plugin=node_modules/.bin/protoc-gen-ts_proto --ts_proto_out=src/gen \
    --ts_proto_opt=outputServices=grpc-js,importSuffix=.js,forceLong=bigint,outputJsonMethods=false $protos

npx tsc
