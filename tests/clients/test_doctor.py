"""`doctor` on damaged installations: each cause is named, with what mends it."""

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from support import BIN, ROOT, Home


class Damage:
    """A home with a simulated Mac, as an installation that works."""

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
        # What keeps it from starting is an error, as with every command.
        wrong = {"name": "start", "ok": False, "detail": f"{said.get('message')} {said.get('suggestion')}"}
        return ended.returncode, said.get("checks", [wrong])

    def write(self, name, text, mode=0o600):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def client(self, text):
        self.write(".cursor/mcp.json", text)

    def starts(self, command):
        self.client(json.dumps({"mcpServers": {"iac-mcp": {"command": str(command), "args": ["serve"]}}}))

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


# What is done to the installation, the check that has to fail, and what it has to say: the cause, and what mends it.
DAMAGES = {
    "others can open the state directory": (lambda d: d.state.chmod(0o755), "state", "chmod 700"),
    "others can change the policy": (lambda d: d.write("state/policy.toml", "", 0o666), "files", "chmod 600"),
    "a pipe in the state directory": (lambda d: os.mkfifo(d.state / "pipe"), "files", "rm "),
    "a file in place of the state directory": (lambda d: (d.state.rmdir(), d.write("state", "")), "start", "Not a directory"),
    "a wrong policy": (lambda d: d.write("state/policy.toml", "profile = 'truste'"), "policy", "line 1"),
    "wrong approvals": (lambda d: d.write("state/grants.json", "{"), "policy", "grants.json"),
    "wrong undo records": (lambda d: d.write("state/undo.json", "x"), "undo", "rm "),
    "a changed audit log": (log, "audit", "iac-mcp audit verify"),
    "wrong settings": (lambda d: d.write("state/config.toml", "timeout = 'x'"), "start", "config.toml"),
    "a file in place of the cache": (lambda d: d.write("cache", ""), "cache", "iac-mcp doctor --fix"),
    "a client's file that is not JSON": (lambda d: d.client("{"), "clients", "line 1"),
    "a client that starts what is gone": (lambda d: d.starts("/gone/iac-mcp"), "clients", "iac-mcp setup cursor --write --force"),
    "a client that needs the PATH": (lambda d: d.starts("iac-mcp"), "clients", "a whole path"),
    "a client that starts one version": (
        lambda d: (d.write("Cellar/iac-mcp/1.0/bin/iac-mcp", "", 0o700), d.starts(d.path / "Cellar/iac-mcp/1.0/bin/iac-mcp")),
        "clients",
        "the next update removes",
    ),
    "two bundles of one id": (copied, "apps", "remove the wrong one"),
    "no osascript": (lambda d: d.options.extend(["--osascript", "/no/such/osascript"]), "osascript", "/no/such/osascript"),
    "an osascript that answers something else": (lambda d: osascript(d, "echo hello"), "osascript", "hello"),
    "an osascript that fails": (lambda d: osascript(d, "exit 3"), "osascript", "ended"),
    "a slow Mac": (slow, "speed", "ControlMaster"),
    "a Mac that macOS closes": (
        lambda d: d.consent({"default": "no", "responsible": "/Applications/Ghostty.app/Contents/MacOS/ghostty"}),
        "consent",
        "Automation > Ghostty",
    ),
    "no apps": (lambda d: ((d.path / "empty").mkdir(), d.options.extend(["--root", "empty"])), "apps", "0 scriptable apps"),
    "a damaged list of plugins": (lambda d: d.write("state/plugins/installed.json", "{"), "plugins", "unavailable"),
    "a damaged simulated Mac": (lambda d: (d.mac / "world.json").write_text("{"), None, "world.json"),
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
        # Some apps of the simulated Mac are damaged on purpose.
        self.assertEqual({check["name"] for check in wrong} - {"apps", "dictionaries"}, set(), wrong)
        names = {check["name"] for check in checks}
        self.assertLessEqual({"cache", "clients", "consent", "speed", "plugins", "dictionaries"}, names)

    def test_each_damage_is_named(self):
        self.assertGreaterEqual(len(DAMAGES), 20)
        for title, (do, name, said) in DAMAGES.items():
            with self.subTest(title):
                damage = self.installation()
                do(damage)
                status, checks = damage.doctor()
                self.assertNotEqual(status, 0)
                wrong = [check for check in checks if not check["ok"] and name in (None, check["name"])]
                self.assertTrue(any(said in check["detail"] for check in wrong), json.dumps(wrong or checks, indent=1))

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
