#!/bin/sh
# Makes build/fish and build/q. What is made of the protos is made on the way, see CMakeLists.txt.
set -eu
for needed in cmake c++ protoc grpc_cpp_plugin; do
    command -v $needed >/dev/null || {
        echo "No $needed; on Debian: apt install cmake g++ libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc" >&2
        exit 1
    }
done
cd "$(dirname "$0")"

cmake -S . -B build
cmake --build build --parallel 2
