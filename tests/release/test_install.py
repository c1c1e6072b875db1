"""The commands of `docs/install.md` run exactly as the page has them, and the files that it names exist."""

import json
import os
import plistlib
import re
import subprocess
import tarfile
import tomllib
import unittest

from support import FILES, ROOT, Folder, file, version

import macho

PAGE = (ROOT / "docs/install.md").read_text()


class Install(Folder):
    def block(self, word):
        """The block of shell commands with this word in it."""
        [found] = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if word in block]
        return found

    def program(self, name, script):
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def test_the_archive_is_installed_by_hand(self):
        """A folder stands in for the release page, `sudo` needs no password, and programs go into another folder."""
        repository = json.loads((FILES / "server.json").read_text())["repository"]["url"]
        self.program("curl", f'for url; do :; done; case $url in {repository}/releases/download/v{version()}/*) cp "{FILES}/${{url##*/}}" . ;; *) exit 22 ;; esac')
        self.program("sudo", 'exec "$@"')
        self.environment["PATH"] += ":/bin:/usr/bin"
        commands = self.block("curl -LO").replace("https://github.com/OWNER/iac-mcp", repository).replace("VERSION", version())
        commands = commands.replace("/usr/local/bin", str(self.folder / "usr/local/bin"))
        (self.folder / "usr/local").mkdir(parents=True)
        shell = ["/bin/sh", "-e", "-c", commands]
        said = subprocess.run(shell, env=self.environment, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertRegex(said.stdout, r"universal-apple-darwin.tar.gz: OK")
        installed = self.folder / "usr/local/bin/iac-mcp"
        self.assertTrue(macho.split(installed.read_bytes()))
        self.assertTrue(os.access(installed, os.X_OK))

        archive = self.folder / file("*-universal-apple-darwin.tar.gz").name
        self.program("curl", f"head -c 1000 /dev/zero > {archive}; cp {FILES}/SHA256SUMS .")
        said = subprocess.run(shell, env=self.environment, cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(said.returncode, 0, "a damaged download is noticed")

    def test_the_files_that_it_names_are_there(self):
        named = {name.replace("VERSION", version()) for name in re.findall(r"`((?:iac-mcp-VERSION|SHA|provenance)[^`]*)`", PAGE)}
        self.assertGreaterEqual(len(named), 4, named)
        for name in named:
            self.assertTrue((FILES / name).is_file(), name)
        with tarfile.open(file("*-universal-apple-darwin.tar.gz")) as packed:
            folders = {name.split("/")[1] for name in packed.getnames()}
        self.assertLessEqual({"man", "completions", "iac-mcp"}, folders)

    def test_the_packages_have_the_names_that_it_tells(self):
        with tarfile.open(file(f"npm/iac-mcp-{version()}.tgz")) as packed:
            name = json.load(packed.extractfile("package/package.json"))["name"]
        self.assertRegex(name, r"^@[^/]+/iac-mcp$")
        self.assertIn("`npx @OWNER/iac-mcp demo`", PAGE)
        self.assertRegex((FILES / "iac-mcp.rb").read_text(), r"^class IacMcp < Formula")
        package = tomllib.loads((ROOT / "host/Cargo.toml").read_text())["package"]
        self.assertEqual(package["name"], "iac-mcp")

    def test_it_names_the_least_macos(self):
        least = plistlib.loads((ROOT / "host/Info.plist").read_bytes())["LSMinimumSystemVersion"]
        self.assertIn(f"You need macOS {least.removesuffix('.0')} or newer", PAGE)


if __name__ == "__main__":
    unittest.main()
