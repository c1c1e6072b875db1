"""The files around the program: checksums, bundles, registry entries, and the statement of origin."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path

from support import FILES, NODE, NODE_PACKAGES, ROOT, Folder, file, is_for_others, version

import archives
import channels


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Files(Folder):
    def test_checksums_cover_every_file(self):
        lines = (FILES / "SHA256SUMS").read_text().splitlines()
        told = {name: said for said, name in (line.split("  ") for line in lines)}
        there = {str(path.relative_to(FILES)) for path in FILES.rglob("*") if path.is_file()} - {"SHA256SUMS"}
        self.assertEqual(set(told), there)
        for name, said in told.items():
            self.assertEqual(said, digest(FILES / name), name)

    def test_archives_have_no_trace_of_the_machine(self):
        for path in [*FILES.glob("*.tar.gz"), *FILES.glob("npm/*.tgz")]:
            with tarfile.open(path) as packed:
                entries = packed.getmembers()
            self.assertEqual({(entry.uid, entry.gid, entry.uname, entry.gname) for entry in entries}, {(0, 0, "", "")}, path)
            self.assertEqual(len({entry.mtime for entry in entries}), 1, path)
            self.assertEqual([entry.name for entry in entries], sorted(entry.name for entry in entries), path)
            programs = [entry for entry in entries if entry.name.endswith("/iac-mcp")]
            self.assertTrue(all(entry.mode == 0o755 for entry in programs), path)
        for name in ("provenance.json", file("*.cdx.json").name, "server.json", "iac-mcp.rb"):
            self.assertNotIn(str(ROOT), (FILES / name).read_text(), name)

    def test_programs_hold_no_path_of_the_machine(self):
        home = Path.home()
        cargo, rustup = (os.environ.get(name, home / folder) for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")))
        # The folder with the sources of a registry has the registry's host in its name.
        hosts = {folder.name for folder in Path(cargo).glob("registry/src/*")}
        paths = {str(ROOT), str(FILES.parent), str(cargo), str(rustup), f"{home}/.", tempfile.gettempdir() + "/rustc", *hosts}
        checked = set()
        for path in FILES.glob("*.tar.gz"):
            target = path.name.removeprefix(f"iac-mcp-{version()}-").removesuffix(".tar.gz")
            if is_for_others(target):
                program = self.unpack(path).read_bytes()
                shutil.rmtree(self.folder / "unpacked")
                found = {word: program[max(0, at - 60) : at + 120] for word in paths if (at := program.find(word.encode())) >= 0}
                self.assertEqual(found, {}, target)
                checked.add(target)
        self.assertIn("universal-apple-darwin", checked)

    def test_the_same_contents_give_the_same_bytes(self):
        contents = {"b": (b"two", 0o755), "a": (b"one", 0o644)}
        for pack in (archives.tar, archives.zipped):
            self.assertEqual(pack(contents, 1_700_000_000, 6), pack(dict(reversed(contents.items())), 1_700_000_000, 6))
            self.assertNotEqual(pack(contents, 1_700_000_000, 6), pack(contents, 1_700_000_100, 6))

    def test_the_bundle_is_valid(self):
        mcpb = file("iac-mcp-*.mcpb")
        tool = NODE_PACKAGES / "@anthropic-ai/mcpb/dist/cli/cli.js"
        unpacked = self.folder / "unpacked"
        for words in (["unpack", mcpb, unpacked], ["validate", unpacked / "manifest.json"]):
            said = subprocess.run([NODE, tool, *words], capture_output=True, text=True)
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        (unpacked / "manifest.json").write_text("{}")
        self.assertNotEqual(subprocess.run([NODE, tool, "validate", unpacked / "manifest.json"], capture_output=True).returncode, 0)
        strict = "require('yauzl').open(process.argv[1], {strictFileNames: true}, (e, z) => { if (e) throw e; z.on('entry', x => console.log(x.fileName)); z.on('error', e => { throw e }) })"
        said = subprocess.run([NODE, "-e", strict, mcpb], env={**self.environment, "NODE_PATH": str(NODE_PACKAGES)}, capture_output=True, text=True)
        self.assertEqual(said.stdout.split(), ["manifest.json", "server/iac-mcp", "server/launch.sh"], said.stderr)

    def test_the_bundle_has_the_program_of_the_archive(self):
        with zipfile.ZipFile(file("iac-mcp-*.mcpb")) as bundle, tarfile.open(file("iac-mcp-*-universal-apple-darwin.tar.gz")) as packed:
            program = packed.extractfile(next(entry for entry in packed if entry.name.endswith("/iac-mcp")))
            self.assertEqual(bundle.read("server/iac-mcp"), program.read())

    def test_the_entry_of_the_registry(self):
        """The requirements of the schema of 2025-12-11 and of its rules for packages."""
        entry = json.loads((FILES / "server.json").read_text())
        self.assertEqual(set(entry), {"$schema", "name", "title", "description", "repository", "version", "packages"})
        self.assertRegex(entry["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        self.assertLessEqual(len(entry["description"]), 100)
        self.assertLessEqual(len(entry["title"]), 100)
        bundle, npm = entry["packages"]
        self.assertEqual(bundle["fileSha256"], digest(file("iac-mcp-*.mcpb")))
        self.assertTrue(bundle["identifier"].endswith(f"/v{version()}/{file('iac-mcp-*.mcpb').name}"))
        with tarfile.open(file(f"npm/iac-mcp-{version()}.tgz")) as packed:
            manifest = json.load(packed.extractfile("package/package.json"))
        self.assertEqual((npm["identifier"], npm["version"]), (manifest["name"], manifest["version"]))
        self.assertEqual(manifest["mcpName"], entry["name"])

    def test_the_formula_names_files_that_are_there(self):
        formula = (FILES / "iac-mcp.rb").read_text()
        self.assertNotIn("@", formula)
        named = re.findall(r'url ".*/(\S+)"\n +sha256 "(\S+)"', formula)
        self.assertIn(file("iac-mcp-*-universal-apple-darwin.tar.gz").name, dict(named))
        for name, said in named:
            self.assertEqual(said, digest(FILES / name), name)
        self.assertEqual(formula.count(" do\n") + formula.count("class ") + formula.count("def "), len(re.findall(r"^ *end$", formula, re.MULTILINE)))

    def test_the_archives_have_what_the_formula_installs(self):
        formula = (FILES / "iac-mcp.rb").read_text()
        files = ["iac-mcp", "man/man1/iac-mcp.1", *re.findall(r'completion.install "(\S+)"', formula)]
        self.assertEqual(len(files), 5)
        for path in FILES.glob("*.tar.gz"):
            with tarfile.open(path) as packed:
                for name in files:
                    entry = packed.getmember(f"{path.name.removesuffix('.tar.gz')}/{name}")
                    self.assertGreater(entry.size, 100, f"{path}: {name}")

    def test_cargo_binstall_finds_the_archives(self):
        told = tomllib.loads((ROOT / "host/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
        for target in ("aarch64-apple-darwin", "x86_64-apple-darwin", "x86_64-unknown-linux-gnu"):
            chosen = {**told, **told["overrides"].get(target, {})}
            fill = {"{ repo }": "", "{ version }": version(), "{ target }": target, "{ bin }": "iac-mcp", "{ binary-ext }": ""}
            url, inside = chosen["pkg-url"], chosen["bin-dir"]
            for name, value in fill.items():
                url, inside = url.replace(name, value), inside.replace(name, value)
            self.assertEqual(url.rpartition("/")[0], f"/releases/download/v{version()}")
            with tarfile.open(FILES / url.rpartition("/")[2]) as packed:
                self.assertIn(inside, packed.getnames(), target)

    def test_the_list_of_materials(self):
        bill = json.loads(file("*.cdx.json").read_text())
        self.assertEqual(bill["bomFormat"], "CycloneDX")
        self.assertNotIn("serialNumber", bill)
        self.assertEqual(set(bill["metadata"]), {"component", "timestamp", "tools"})
        names = {part["name"] for part in bill["components"]}
        self.assertLessEqual({"wasmtime", "rmcp", "serde"}, names)

    def test_the_provenance_covers_the_programs(self):
        told = json.loads((FILES / "provenance.json").read_text())
        subjects = {subject["name"]: subject["digest"]["sha256"] for subject in told["subject"]}
        for path in [*FILES.glob("*.tar.gz"), *FILES.glob("*.mcpb")]:
            self.assertEqual(subjects[path.name], digest(path))
        commit = told["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"]["gitCommit"]
        self.assertRegex(commit, r"^[0-9a-f]{40}$")


class Refusals(Folder):
    """A release needs a changelog section and committed files. This is tested in a small repository, before anything
    is built."""

    def refused(self, version="1.2.3", repository="https://github.com/o/iac-mcp"):
        script = self.folder / "repository/scripts/release/main.py"
        words = [sys.executable, script, version, "--repository", repository, "--target-dir", self.folder / "target", "--files", self.folder / "files"]
        said = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertFalse((self.folder / "files").exists())
        return said.stderr

    def test_a_release_that_is_not_ready_is_refused(self):
        repository = self.folder / "repository"
        shutil.copytree(ROOT / "scripts/release", repository / "scripts/release", ignore=shutil.ignore_patterns("__pycache__"))
        (repository / ".gitignore").write_text("__pycache__\n")
        (repository / "Cargo.toml").write_text('[workspace.package]\nversion = "1.2.3"\n')
        changelog = repository / "CHANGELOG.md"
        changelog.write_text("# Changelog\n\n## Unreleased\n\n- one\n")
        self.assertIn("not 9.9.9; set `version`", self.refused("9.9.9"))
        self.assertIn("rename `## Unreleased`", self.refused())
        changelog.write_text("# Changelog\n\n## 1.2.3 (2026-12-01)\n\n- one\n")
        git = ["git", "-C", repository, "-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        for words in (["init", "--quiet"], ["add", "--all"]):
            subprocess.run([*git, *words], check=True)
        self.assertIn("not committed; commit them first", self.refused())
        subprocess.run([*git, "commit", "--quiet", "--message", "all"], check=True)
        self.assertIn("pass --repository", self.refused(repository="https://github.com/OWNER/iac-mcp"))

    def test_notes_are_the_section_of_the_changelog(self):
        changelog = "# Changelog\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- two\n\n## 0.1.0\n\n- one\n"
        self.assertEqual(channels.notes(changelog, "0.2.0"), "### Added\n\n- two")
        self.assertEqual(channels.notes(changelog, "0.1.0"), "- one")
        self.assertEqual(channels.notes(changelog, "0.2"), "")


if __name__ == "__main__":
    unittest.main()
