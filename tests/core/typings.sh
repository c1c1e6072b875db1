#!/bin/sh
# Compares our identifiers with those of npm's @jxa/types, fetched into a scratch folder. Without npm or a registry it
# says so and ends well.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! (cd "$scratch" && npm pack --silent @jxa/types@1.4.0 >/dev/null 2>&1 && tar xzf jxa-types-1.4.0.tgz); then
    echo "skipped: @jxa/types cannot be fetched"
    exit 0
fi
IAC_MCP_JXA_TYPES="$scratch/package" cargo test -p iac-core --test dictionary typings -- --nocapture
