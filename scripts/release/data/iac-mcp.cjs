#!/usr/bin/env node
// Starts the program from the npm package for this system. npm may skip install scripts, so nothing depends on one.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const SYSTEMS = { darwin: "darwin", "linux x64": "linux-x64", "linux arm64": "linux-arm64" };
const system = SYSTEMS[process.platform] ?? SYSTEMS[`${process.platform} ${process.arch}`];

function fail(message) {
  process.stderr.write(`iac-mcp: ${message}\n`);
  process.exit(1);
}

function program() {
  if (!system)
    fail(
      `there is no program for ${process.platform} on ${process.arch}. It runs on macOS, and on Linux on x64 and arm64.`,
    );
  try {
    return require.resolve(`NPM_NAME-${system}/bin/iac-mcp`);
  } catch {
    return fail(`the package NPM_NAME-${system} is missing. Install again without --omit=optional.`);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`the program did not start: ${error.message}`));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
