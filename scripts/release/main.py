"""Makes all files of a release. `./release` runs this with the necessary tools on PATH.

If environment variables name the files of a Developer ID (docs/releasing.md), the program is signed with it and
notarized. Otherwise it is signed ad hoc, which needs no secret.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import archives
import channels
import macho
import sign

ROOT = Path(__file__).resolve().parents[2]
MACS = ["aarch64-apple-darwin", "x86_64-apple-darwin"]
UNIVERSAL = "universal-apple-darwin"
# The suffix is the oldest glibc that the program runs with: that of Debian 10 and RHEL 8.
GLIBC = "2.28"
LINUX = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]
# The variables that `with_zig` sets for programs that are distributed.
OF_ZIG = {"CARGO_ENCODED_RUSTFLAGS", "CFLAGS", "CARGO_PROFILE_DEV_DEBUG", "CARGO_PROFILE_DEV_STRIP", "MACOSX_DEPLOYMENT_TARGET"}
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]


class Refused(Exception):
    """The release cannot be made. The text says why, and what to do."""


def main():
    parser = argparse.ArgumentParser(prog="./release", description="Makes all files of a release on Linux.")
    parser.add_argument("version", nargs="?", help="the version of Cargo.toml")
    parser.add_argument("--dry-run", action="store_true", help="quick builds of the current state, without Linux on arm64")
    parser.add_argument("--mac", choices=MACS, help="in a dry run: only the program for these Macs, in half of the time")
    parser.add_argument("--repository", default=repository(), help="the address of the repository on GitHub")
    parser.add_argument("--target-dir", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--files", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        make(options)
    except (Refused, macho.Wrong, sign.Unsigned) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def make(options):
    version, notes = checked_version(options)
    if options.files.exists():
        shutil.rmtree(options.files)
    options.files.mkdir(parents=True)
    epoch = int(run("git", "log", "-1", "--format=%ct", quiet=True))
    builder = Builder(options, version)
    native = builder.native()
    builder.carry(packages(options, builder, native))

    # The programs of quick builds are large and never leave this machine, so they are compressed quickly.
    made = archives.Folder(options.files, epoch, level=1 if options.dry_run else 9)
    documents = {name: (ROOT / name).read_bytes() for name in DOCUMENTS} | manuals(native)
    # A natively linked program runs only on this machine or newer systems, which is all that a dry run needs.
    programs = {LINUX[0]: Path(builder.native()).read_bytes()} if options.dry_run else {}
    macs = [options.mac] if options.mac else MACS
    programs |= builder.build([*macs, *([] if options.dry_run else LINUX)])
    joined = macho.join([programs.pop(target) for target in macs])
    for variant, program in sign.variants(joined, options.target_dir / "signing").items():
        programs[UNIVERSAL + variant] = program
    for target, program in programs.items():
        name = f"iac-mcp-{version}-{target}"
        contents = {f"{name}/{path}": (data, 0o644) for path, data in documents.items()}
        made.tar(f"{name}.tar.gz", {**contents, f"{name}/iac-mcp": (program, 0o755)})

    facts = channels.Facts(version, options.repository.removesuffix(".git").rstrip("/"), notes)
    channels.write(facts, made, programs, UNIVERSAL)
    made.text(f"iac-mcp-{version}.cdx.json", channels.materials(run("cargo", "sbom", "--cargo-package", "iac-mcp", "--output-format", "cyclone_dx_json_1_6", quiet=True), epoch))
    made.text("provenance.json", channels.provenance(facts, made, source(options), tools(), builder.arguments))
    made.checksums()
    for name in sorted(made.hashes):
        print(f"{(options.files / name).stat().st_size:>12}  {name}")
    print(f"{len(made.hashes)} files in {options.files}")


def checked_version(options):
    """Returns the version and its release notes. A real release needs a changelog entry and a clean working tree."""
    told = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text()
    if options.mac and not options.dry_run:
        raise Refused("a release is for all Macs; leave --mac out")
    if options.dry_run:
        return told, channels.notes(changelog, "Unreleased") or channels.notes(changelog, told)
    if options.version != told:
        raise Refused(f"the version is {told}, not {options.version}; set `version` below [workspace.package] in Cargo.toml")
    notes = channels.notes(changelog, told)
    if not notes:
        raise Refused(f"CHANGELOG.md has no section `## {told}`; rename `## Unreleased`")
    if run("git", "status", "--porcelain", quiet=True):
        raise Refused("the work tree has changes that are not committed; commit them first")
    if "OWNER" in options.repository:
        raise Refused("the repository is not known; pass --repository https://github.com/OWNER/NAME")
    return told, notes


def repository():
    """Returns the URL of the repository: from GitHub in a workflow, otherwise from the remote of this clone."""
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
    remote = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    remote = remote.replace("git@github.com:", "https://github.com/")
    return remote if remote.startswith("https://github.com/") else "https://github.com/OWNER/iac-mcp"


class Builder:
    """Builds the program for each target."""

    def __init__(self, options, version):
        self.folder = options.target_dir
        self.profile = "dev" if options.dry_run else "release"
        self.arguments = ["--package", "iac-mcp", "--locked", "--profile", self.profile]
        self.environment = {**os.environ, "CARGO_TARGET_DIR": str(self.folder), "IAC_MCP_REPOSITORY": options.repository}
        # Shown by `iac-mcp --version`.
        self.environment["IAC_MCP_BUILD"] = f"{version} ({run('git', 'log', '-1', '--format=%h %cs', quiet=True)})"
        self.plain = {name: value for name, value in self.environment.items() if name not in OF_ZIG}

    def carry(self, packages):
        """Embeds these packages into every program that is built from now on."""
        for environment in (self.environment, self.plain):
            environment["IAC_MCP_PACKAGES"] = str(packages)

    def native(self):
        """Returns the program for this machine, which packs the plugins and writes the manual. `./test` has already built
        one with coverage instrumentation; any other would have to be built from scratch."""
        build = ["cargo", "build", "--quiet", "--package", "iac-mcp", "--locked"]
        if os.environ.get("IAC_MCP_INSTRUMENTED"):
            run("bash", "-c", "source scripts/setup.bash && build_tested --quiet", environment=self.plain)
            return str(self.folder / "instrumented/debug/iac-mcp")
        run(*build, environment=self.plain)
        return str(self.folder / "debug/iac-mcp")

    def build(self, targets):
        """Builds the program for each target in one run of cargo, so that no processor waits while another target links."""
        for target in targets:
            self.arguments += ["--target", f"{target}.{GLIBC}" if target in LINUX else target]
        run("cargo", "zigbuild", *self.arguments, environment=self.environment)
        folder = "debug" if self.profile == "dev" else self.profile
        return {target: (self.folder / target / folder / "iac-mcp").read_bytes() for target in targets}


def packages(options, builder, native):
    """Returns the folder with the packages of the bundled plugins."""
    folder = options.target_dir / "packages"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for manifest in sorted((ROOT / "plugins").glob("*/plugin.toml")):
        if (manifest.parent / "Cargo.toml").exists():
            package = folder / f"{manifest.parent.name}.wasm"
            run(native, "plugin", "build", str(manifest.parent), "--output", str(package), environment=builder.environment)
    return folder


def manuals(native):
    """Returns the manual pages and the completions of each shell, by their paths in an archive."""
    shells = {"bash": "iac-mcp.bash", "zsh": "_iac-mcp", "fish": "iac-mcp.fish"}
    written = {f"completions/{name}": run(native, "completions", shell, quiet=True).encode() + b"\n" for shell, name in shells.items()}
    with tempfile.TemporaryDirectory() as folder:
        run(native, "man", folder)
        pages = {f"man/man1/{page.name}": page.read_bytes() for page in Path(folder).iterdir()}
    return written | pages


def source(options):
    commit = run("git", "rev-parse", "HEAD", quiet=True)
    dirty = bool(run("git", "status", "--porcelain", quiet=True))
    return {"repository": options.repository, "commit": commit, "changed": dirty, "lock": channels.sha256((ROOT / "Cargo.lock").read_bytes())}


def tools():
    return {
        "rustc": run("rustc", "--version", quiet=True),
        "cargo-zigbuild": run("cargo-zigbuild", "--version", quiet=True),
        "zig": run("python-zig", "version", quiet=True),
    }


def run(*command, environment=None, quiet=False):
    """Runs a command in the repository. If `quiet` is set, returns its output instead of showing it."""
    ended = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE if quiet else None, text=True)
    if ended.returncode != 0:
        raise Refused(f"`{' '.join(command)}` failed with status {ended.returncode}; its output is above")
    return ended.stdout.strip() if quiet else None


if __name__ == "__main__":
    sys.exit(main())
