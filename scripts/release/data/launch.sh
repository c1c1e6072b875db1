#!/bin/sh
# Starts the server of an MCPB bundle. Clients may drop the execute bits when they unpack the bundle.
program="$(dirname "$0")/iac-mcp"
[ -x "$program" ] || chmod u+x "$program"
exec "$program" "$@"
