"""The program for a Mac: both processors, its plist, the libraries that it links, and valid signatures."""

import plistlib
import tarfile
import tempfile
import unittest
from pathlib import Path

from support import FILES, ROOT, archive, version

import apple_platform
import macho
import sign

HARDENED = sorted(FILES.glob("iac-mcp-*-universal-apple-darwin-hardened.tar.gz"))


def program(path):
    with tarfile.open(path) as packed:
        return packed.extractfile(next(entry for entry in packed if entry.name.endswith("/iac-mcp"))).read()


class Macos(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = program(archive("universal-apple-darwin"))
        cls.parts = macho.split(cls.program)

    def test_it_runs_on_all_processors_that_it_was_built_for(self):
        built = (FILES / "provenance.json").read_text()
        processors = {"aarch64-apple-darwin": "arm64", "x86_64-apple-darwin": "x86_64"}
        # Only a dry run may leave out one of the two processors, to save time.
        is_dry = '"dev"' in built
        self.assertEqual(set(self.parts), {name for target, name in processors.items() if not is_dry or f'"{target}"' in built})

    def test_it_needs_only_what_each_mac_has(self):
        for name, part in self.parts.items():
            told = macho.read(part)
            self.assertTrue(told["libraries"], name)
            for library in told["libraries"]:
                self.assertRegex(library, r"^/usr/lib/lib|^/System/Library/Frameworks/", name)
            self.assertEqual(told["least"], "12.0", name)

    def test_macos_can_say_who_asks_for_what(self):
        for name, part in self.parts.items():
            info = plistlib.loads(macho.read(part)["plist"])
            self.assertEqual(info["CFBundleIdentifier"], sign.identifier(), name)
            self.assertEqual(info["CFBundleShortVersionString"], version(), name)
            self.assertEqual(info["LSMinimumSystemVersion"], macho.read(part)["least"], name)
            asks = {key for key in info if key.endswith("UsageDescription")}
            self.assertIn("NSAppleEventsUsageDescription", asks, name)
            self.assertTrue(all(info[key].endswith(".") for key in asks), name)

    def test_each_part_is_signed_with_the_same_name(self):
        for name, part in self.parts.items():
            said = macho.signature(part)
            self.assertEqual((said["identifier"], said["plist"]), (sign.identifier(), True), name)
            # Without a certificate there is no hardened runtime and there are no entitlements. With a certificate
            # there are both.
            if said["cms"]:
                self.assertIn("runtime", said["flags"], name)
                self.assertTrue(said["entitlements"]["com.apple.security.automation.apple-events"], name)
            else:
                self.assertEqual((said["flags"], said["entitlements"]), ({"adhoc"}, {}), name)

    @unittest.skipUnless(HARDENED, "signed with a certificate, so there is one variant")
    def test_the_other_variant_is_hardened(self):
        for name, part in macho.split(program(HARDENED[0])).items():
            said = macho.signature(part)
            self.assertEqual(said["flags"], {"adhoc", "runtime"}, name)
            self.assertTrue(said["entitlements"]["com.apple.security.automation.apple-events"], name)

    def test_a_changed_program_is_found(self):
        part = bytearray(self.parts["arm64"])
        part[len(part) // 2] ^= 1
        with self.assertRaisesRegex(macho.Wrong, "is not the one that was signed"):
            macho.signature(bytes(part))
        at = bytes(part).index(b"<key>CFBundleIdentifier")
        part = bytearray(self.parts["arm64"])
        part[at] ^= 1
        with self.assertRaises(macho.Wrong):
            macho.signature(bytes(part))

    def test_an_unsigned_program_is_found(self):
        part = bytearray(self.parts["arm64"])
        commands = int.from_bytes(part[16:20], "little")
        at = 32
        for _ in range(commands):
            if part[at : at + 4] == macho.LC_CODE_SIGNATURE.to_bytes(4, "little"):
                part[at] = 0x7F
            at += int.from_bytes(part[at + 4 : at + 8], "little")
        with self.assertRaisesRegex(macho.Wrong, "has no signature"):
            macho.signature(bytes(part))

    def test_a_certificate_signs_with_the_hardened_runtime(self):
        """The test makes a certificate in place of a Developer ID, and contacts no timestamp server."""
        made = apple_platform.certificates.generate_self_signed("Nobody", profile="developer-id-application", team_id="TEAM000000")
        small = macho.join([part for part in self.parts.values()])
        with tempfile.TemporaryDirectory() as folder:
            key, word = Path(folder, "key.p12"), Path(folder, "password")
            key.write_bytes(made.to_p12("secret"))
            word.write_text("secret")
            signer = apple_platform.Signer(p12=apple_platform.P12Key(path=key, password_path=word))
            done = sign.signed(small, Path(folder), "signed", flags=["runtime"], signer=signer, timestamp_url="none")
        for name, part in macho.split(done).items():
            said = macho.signature(part)
            self.assertEqual((said["cms"], said["flags"]), (True, {"runtime"}), name)

    def test_a_certificate_without_its_password_is_refused(self):
        with self.assertRaisesRegex(sign.Unsigned, "IAC_MCP_P12_PASSWORD is not"):
            sign.with_certificate(b"", Path(), "key.p12")


if __name__ == "__main__":
    unittest.main()
