#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs all tests. Ends with ctest's own summary.
set -euo pipefail
cd "$(dirname "$0")"
scripts/install
cmake --preset release -Wno-dev >/dev/null
cmake --build --preset release
ctest --preset release -j "$(nproc)" "$@"
