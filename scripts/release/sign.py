"""Signs the program for a Mac, and checks each signature with `macho`, which shares no code with the signer."""

import os
import plistlib
import sys
import zipfile
from pathlib import Path

import apple_platform
from apple_platform import notarize

import macho

ENTITLEMENTS = Path(__file__).with_name("entitlements.plist")
INFO = Path(__file__).resolve().parents[2] / "host/Info.plist"

# The variables with a Developer ID and the key of the notary service. Each holds the path of a file.
CERTIFICATE, PASSWORD, NOTARY = "IAC_MCP_P12", "IAC_MCP_P12_PASSWORD", "IAC_MCP_NOTARY_KEY"
# How many seconds the notary may take.
PATIENCE = 1800


class Unsigned(Exception):
    """The program could not be signed or notarized. The text says why."""


def variants(program, folder):
    """Returns the signed programs by the suffix of their names.

    Reports about signatures without a certificate on macOS 26 contradict each other: in some, macOS killed a program with
    the hardened runtime; in others, it never asked for consent for a program without it. So there are both variants until
    this was tried on a Mac. A Developer ID requires the hardened runtime, so then there is only one variant.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if certificate := os.environ.get(CERTIFICATE):
        return {"": with_certificate(program, folder, certificate)}
    return {
        "": signed(program, folder, "plain", flags=[]),
        "-hardened": signed(program, folder, "hardened", flags=["runtime"]),
    }


def with_certificate(program, folder, certificate):
    password = os.environ.get(PASSWORD)
    if not password:
        raise Unsigned(f"{CERTIFICATE} is set and {PASSWORD} is not; set it to the file with the password")
    key = apple_platform.P12Key(path=certificate, password_path=password)
    made = signed(program, folder, "signed", flags=["runtime"], signer=apple_platform.Signer(p12=key), for_notarization=True)
    if notary := os.environ.get(NOTARY):
        submit(folder, made, notary)
    else:
        print(f"signed but not notarized: {NOTARY} is not set", file=sys.stderr)
    return made


def signed(program, folder, name, *, flags, signer=None, **more):
    """Signs a program and checks the signature. Entitlements have an effect only with the hardened runtime."""
    path = folder / name
    path.write_bytes(program)
    entitlements = str(ENTITLEMENTS) if flags else None
    apple_platform.sign(
        path, signer=signer, binary_identifier=identifier(), code_signature_flags=flags, entitlements_xml_file=entitlements, **more
    )
    made = path.read_bytes()
    for part in macho.split(made).values():
        check(macho.signature(part), flags, signer)
    return made


def check(said, flags, signer):
    expected = {
        "identifier": identifier(),
        "flags": {*flags, *(() if signer else ("adhoc",))},
        "plist": True,
        "entitlements": plistlib.loads(ENTITLEMENTS.read_bytes()) if flags else {},
        "cms": signer is not None,
    }
    for name, value in expected.items():
        if said[name] != value:
            raise Unsigned(f"the signature's {name} is {said[name]}, expected {value}")


def identifier():
    """Returns the identifier under which macOS stores consent: that of the `Info.plist` in the program."""
    return plistlib.loads(INFO.read_bytes())["CFBundleIdentifier"]


def submit(folder, program, key):
    """Sends the program to Apple's notary. A ticket cannot be stapled to a bare program, so Macs ask for it online."""
    archive = folder / "iac-mcp.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
        entry = zipfile.ZipInfo("iac-mcp")
        entry.external_attr = 0o755 << 16
        bundle.writestr(entry, program)
    said = notarize.submit(archive, notarize.NotaryCredentials(api_key_path=key), wait_seconds=PATIENCE)
    statuses = {str(status).lower() for status in apple_platform.reading.find_values(said, "status")}
    if "accepted" not in statuses:
        raise Unsigned(f"the notary did not accept the program: {said}")
