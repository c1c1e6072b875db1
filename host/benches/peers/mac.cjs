// Loaded into each peer that runs on Node.js, so that the peer takes this machine for a Mac: Node reports a Mac as
// the platform, the peer can read a macOS version, and it can call osascript by its absolute path, even with an
// environment of its own. Nothing else in the peer is changed.
"use strict";
const fs = require("node:fs");
const child = require("node:child_process");
const os = require("node:os");
const path = require("node:path");
const { syncBuiltinESMExports } = require("node:module");
const { promisify } = require("node:util");

const osascript = process.env.PATH.split(path.delimiter)
  .map((folder) => path.join(folder, "osascript"))
  .find((file) => fs.existsSync(file));
const simulation = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("IAC_MCP_")));

function led(file, ...rest) {
  if (file !== "/usr/bin/osascript") return [file, ...rest];
  const options = rest.find((given) => given && typeof given === "object" && !Array.isArray(given));
  if (options?.env) options.env = { ...simulation, ...options.env };
  return [osascript, ...rest];
}

Object.defineProperty(process, "platform", { value: "darwin" });
os.platform = () => "darwin";
for (const name of ["spawn", "spawnSync", "execFile", "execFileSync"]) {
  const real = child[name];
  child[name] = function (...given) {
    return real.apply(this, led(...given));
  };
  // For Node's own functions, `promisify` returns a promise of both outputs. Keep that.
  const promised = real[promisify.custom];
  if (promised) child[name][promisify.custom] = (...given) => promised(...led(...given));
}

const read = fs.readFileSync;
const VERSION = "<plist><dict><key>ProductVersion</key><string>15.5</string></dict></plist>";
fs.readFileSync = function (file, ...rest) {
  return file === "/System/Library/CoreServices/SystemVersion.plist" ? VERSION : read.call(this, file, ...rest);
};
syncBuiltinESMExports();
