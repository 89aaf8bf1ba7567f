#!/bin/sh
# Makes target/release/fish and target/release/q. What is made of the protos is made on the way, see build.rs.
set -eu
command -v cargo >/dev/null || { echo "Install Rust 1.88 or newer: https://rustup.rs, or Debian's cargo-web." >&2; exit 1; }
cd "$(dirname "$0")"

cargo build --release --locked
