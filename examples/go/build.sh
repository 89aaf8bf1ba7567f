#!/bin/sh
# Makes gen/ from the protos and bin/fish and bin/q from gen/. PROTOC names another protoc, if it is not on the PATH.
set -eu
cd "$(dirname "$0")"

# The generators, in the versions that go.mod names.
GOBIN=$PWD/bin go install tool

# The stubs go into the module of this example, in the place of the Go package that the protos name.
module=example.com/players
protos="fairplay/v1/player.proto fairplay/v1/connection.proto
        fairplay/fish/v1/fish.proto fairplay/fish/v1/fish_player.proto
        fairplay/q/v1/q.proto fairplay/q/v1/q_player.proto"
packages=$(for p in $protos; do d=$module/gen/$(dirname "$p"); echo "--go_opt=M$p=$d --go-grpc_opt=M$p=$d"; done)
rm -rf gen
PATH=$PWD/bin:$PATH ${PROTOC:-protoc} -I ../../proto \
    --go_out=. --go_opt=module=$module --go-grpc_out=. --go-grpc_opt=module=$module $packages $protos

go build -buildvcs=false -o bin/ ./fish ./q
