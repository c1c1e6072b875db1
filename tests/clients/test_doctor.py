"""`doctor` on damaged installations: it names each cause and the remedy."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import BIN, ROOT, Home


class Damage:
    """A home folder with a simulated Mac and a working installation."""

    def __init__(self, home):
        self.home = home
        self.path = home.path
        self.mac = self.path / "mac"
        self.state = home.state
        self.cache = home.cache
        self.options = ["--world", str(self.mac), "--state", str(self.state), "--cache", str(self.cache)]

    def run(self, *arguments):
        return subprocess.run(
            [BIN, *arguments],
            env=self.home.environment | {"PATH": "/usr/bin:/bin"},
            cwd=self.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def doctor(self, *more):
        ended = self.run("doctor", "--json", *self.options, *more)
        said = json.loads(ended.stdout)
        # If a problem keeps `doctor` from starting, it is an error, as with every command.
        wrong = {"name": "start", "ok": False, "detail": f"{said.get('message')} {said.get('suggestion')}"}
        return ended.returncode, said.get("checks", [wrong])

    def write(self, name, text, mode=0o600):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def client(self, text):
        self.write(".cursor/mcp.json", text)

    def starts(self, command, *options):
        self.client(json.dumps({"mcpServers": {"iac-mcp": {"command": str(command), "args": ["serve", *options]}}}))

    def consent(self, said):
        (self.mac / "consent.json").write_text(json.dumps(said))


def osascript(damage, text):
    damage.write("osascript", f"#!/bin/sh\n{text}\n", 0o700)
    damage.options += ["--osascript", str(damage.path / "osascript")]


def copied(damage):
    """A second bundle with Mail's id, in the Mac's own folder of apps."""
    base = ROOT / "fixtures/mac"
    shutil.copytree(base, damage.path / "copied", symlinks=True)
    mail = next((damage.path / "copied").rglob("Mail.app"))
    other = damage.path / "copied/Applications/Post.app"
    shutil.copytree(mail, other, symlinks=True)
    damage.options[1] = str(damage.path / "copied")


def log(damage):
    damage.run("policy", "profile", "standard", *damage.options)
    damage.run("call", "iac_mcp_list_apps", *damage.options)
    [file] = (file for file in (damage.state / "audit").glob("*.jsonl") if "list_apps" in file.read_text())
    file.write_text(file.read_text().replace("iac_mcp_list_apps", "iac_mcp_list_appz"))


def slow(damage):
    osascript(damage, f"sleep 3; exec {BIN} osascript \"$@\"")


# The damage, the check that must fail, the cause that it names, and the remedy.
DAMAGES = {
    "others can open the state directory": (lambda d: d.state.chmod(0o755), "state", "other users can open", "`chmod 700 {state}`"),
    "others can change the policy": (lambda d: d.write("state/policy.toml", "", 0o666), "files", "other users can change", "`chmod 600 {state}/policy.toml`"),
    "a pipe in the state directory": (lambda d: os.mkfifo(d.state / "pipe"), "files", "is not a file", "`rm {state}/pipe`"),
    "a file in place of the state directory": (lambda d: (d.state.rmdir(), d.write("state", "")), "start", "{state} is not a folder", "`mv {state} {state}.old`"),
    "a wrong policy": (lambda d: d.write("state/policy.toml", "profile = 'truste'"), "policy", "line 1", "edit {state}/policy.toml, then run `iac-mcp policy check`"),
    "wrong approvals": (lambda d: d.write("state/grants.json", "{"), "policy", "grants.json: invalid type", "`rm {state}/grants.json`"),
    "wrong undo records": (lambda d: d.write("state/undo.json", "x"), "undo", "undo.json: expected value", "`rm {state}/undo.json`"),
    "a changed audit log": (log, "audit", "1 findings", "`iac-mcp audit verify`"),
    "wrong settings": (lambda d: d.write("state/config.toml", "timeout = 'x'"), "start", "config.toml: line 1", "correct that line"),
    "a file in place of the cache": (lambda d: d.write("cache", ""), "cache", "it is not a folder", "`iac-mcp doctor --fix`"),
    "a client's file that is not JSON": (lambda d: d.client("{"), "clients", "not JSON: Unterminated object on line 1", "mend the file by hand"),
    "a client that starts what is gone": (lambda d: d.starts("/gone/iac-mcp"), "clients", "starts /gone/iac-mcp, which is not there", "`iac-mcp setup cursor --write --force`"),
    "a client that starts what is gone, with options": (
        lambda d: d.starts("/gone/iac-mcp", "--read-only", "--state=/a b"),
        "clients",
        "starts /gone/iac-mcp, which is not there",
        "`iac-mcp setup cursor --read-only '--state=/a b' --write --force`",
    ),
    "a client that needs the PATH": (lambda d: d.starts("iac-mcp"), "clients", "apps do not see your PATH", "`iac-mcp setup cursor --write --force`"),
    "a client that starts one version": (
        lambda d: (d.write("Cellar/iac-mcp/1.0/bin/iac-mcp", "", 0o700), d.starts(d.path / "Cellar/iac-mcp/1.0/bin/iac-mcp")),
        "clients",
        "the next update removes",
        "`iac-mcp setup cursor --write --force`",
    ),
    "two bundles of one id": (copied, "apps", "com.apple.mail is the id of several bundles", "/Applications/Post.app is not; remove the wrong one"),
    "no osascript": (lambda d: d.options.extend(["--osascript", "/no/such/osascript"]), "osascript", "/no/such/osascript cannot be started", "name the command with --osascript"),
    "an osascript that answers something else": (lambda d: osascript(d, "echo hello"), "osascript", "invalid: hello", "name the command with --osascript"),
    "an osascript that fails": (lambda d: osascript(d, "exit 3"), "osascript", "ended without an answer", "name the command with --osascript"),
    "a slow Mac": (slow, "speed", "the first script takes", "ControlMaster"),
    "a Mac that macOS closes": (
        lambda d: d.consent({"default": "no", "responsible": "/Applications/Ghostty.app/Contents/MacOS/ghostty"}),
        "consent",
        "macOS asks about Ghostty, and refuses",
        "Automation > Ghostty",
    ),
    "no apps": (lambda d: ((d.path / "empty").mkdir(), d.options.extend(["--root", "empty"])), "apps", "0 scriptable apps", "name a folder with apps with --root"),
    "a damaged list of plugins": (lambda d: d.write("state/plugins/installed.json", "{"), "plugins", "installed.json cannot be read", "`iac-mcp plugin add`"),
    "a damaged simulated Mac": (lambda d: (d.mac / "world.json").write_text("{"), "world", "world.json is not as it should be", "`iac-mcp sim reset {mac}`"),
}


class Doctor(unittest.TestCase):
    def installation(self):
        home = self.enterContext(Home())
        damage = Damage(home)
        home.state.mkdir(mode=0o700)
        self.assertEqual(damage.run("sim", "new", str(damage.mac)).returncode, 0)
        return damage

    def test_an_installation_that_works_has_no_fault(self):
        status, checks = self.installation().doctor()
        wrong = [check for check in checks if not check["ok"]]
        # Some apps of the simulated Mac are damaged on purpose, and a busy computer is slow.
        self.assertEqual({check["name"] for check in wrong} - {"apps", "dictionaries", "speed"}, set(), wrong)
        names = {check["name"] for check in checks}
        self.assertLessEqual({"cache", "clients", "consent", "speed", "plugins", "dictionaries"}, names)

    def test_each_damage_is_named(self):
        self.assertGreaterEqual(len(DAMAGES), 20)
        for title, (do, name, *said) in DAMAGES.items():
            with self.subTest(title):
                damage = self.installation()
                do(damage)
                status, checks = damage.doctor()
                self.assertNotEqual(status, 0)
                wrong = [check for check in checks if not check["ok"] and check["name"] == name]
                words = [each.format(state=damage.state, mac=damage.mac) for each in said]
                named = any(all(each in check["detail"] for each in words) for check in wrong)
                self.assertTrue(named, json.dumps([words, wrong or checks], indent=1))

    def test_what_can_be_mended_safely_is_mended(self):
        damage = self.installation()
        damage.run("policy", "profile", "standard", *damage.options)
        damage.state.chmod(0o755)
        (damage.state / "policy.toml").chmod(0o666)
        shutil.rmtree(damage.cache, ignore_errors=True)
        damage.write("cache", "mine")
        _, before = damage.doctor()
        _, after = damage.doctor("--fix")
        failing = lambda checks: {check["name"] for check in checks if not check["ok"]} & {"state", "files", "cache"}
        self.assertEqual(failing(before), {"state", "files", "cache"})
        self.assertEqual(failing(after), set())
        self.assertEqual(len([check for check in after if check["name"] == "mended"]), 3)
        self.assertEqual((damage.path / "cache.not-a-cache").read_text(), "mine", "nothing is lost")
        self.assertFalse(any(check["name"] == "mended" for check in damage.doctor("--fix")[1]), "there is nothing more to mend")
        shutil.rmtree(damage.cache, ignore_errors=True)
        damage.write("cache", "mine too")
        damage.doctor("--fix")
        self.assertEqual((damage.path / "cache.not-a-cache").read_text(), "mine", "nothing is replaced")
        self.assertEqual((damage.path / "cache.not-a-cache-1").read_text(), "mine too")


if __name__ == "__main__":
    unittest.main()
