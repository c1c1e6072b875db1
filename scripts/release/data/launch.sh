#!/bin/sh
# Starts the server of an MCPB bundle. Clients may unpack its files without their execute bits.
program="$(dirname "$0")/iac-mcp"
[ -x "$program" ] || chmod u+x "$program"
exec "$program" "$@"
