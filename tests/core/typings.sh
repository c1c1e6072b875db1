#!/bin/sh
# Compares our identifiers with those of npm's @jxa/types, in a temporary folder. Without npm or a registry it prints a
# note and succeeds.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! (cd "$scratch" && npm pack --silent @jxa/types@1.4.0 >/dev/null 2>&1 && tar xzf jxa-types-1.4.0.tgz); then
    echo "skipped: @jxa/types cannot be fetched"
    exit 0
fi
IAC_MCP_JXA_TYPES="$scratch/package" cargo test -p iac-core --test core typings -- --nocapture
