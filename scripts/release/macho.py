"""Mach-O files for a release: joins two into a universal one, and reads what a Mac would check.

The reader shares no code with the signing tool. It recomputes every hash of a signature from the bytes of the file.
"""

import hashlib
import plistlib
import struct

FAT_MAGIC = 0xCAFEBABE
THIN_MAGIC = 0xFEEDFACF
ARCHITECTURES = {0x01000007: "x86_64", 0x0100000C: "arm64"}
ALIGNMENT = 14  # 2^14 bytes: the page size of a Mac with Apple silicon

LC_SEGMENT_64, LC_CODE_SIGNATURE, LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX = 0x19, 0x1D, 0x32, 0x24
LC_LOAD = {0x0C: "needs", 0x80000018: "weak", 0x8000001F: "again", 0x80000023: "upward"}

SUPER_BLOB, CODE_DIRECTORY = 0xFADE0CC0, 0xFADE0C02
# A special slot has the number of the blob in the index. A bare program has no slot for resources.
INFO_SLOT, REQUIREMENTS, ENTITLEMENTS, ENTITLEMENTS_DER, CMS = 1, 2, 5, 7, 0x10000
FLAGS = {0x2: "adhoc", 0x10000: "runtime", 0x20000: "linker-signed"}
SHA256 = 2


class Wrong(Exception):
    """macOS would not accept the file. The text says why."""


def join(parts):
    """Joins files for one processor each into the bytes of a universal file."""
    heads = [(struct.unpack("<II", part[4:12]), part) for part in parts]
    heads.sort(key=lambda head: head[0])
    joined = bytearray(struct.pack(">II", FAT_MAGIC, len(heads)))
    at, places = 8 + 20 * len(heads), []
    for (cpu, kind), part in heads:
        at = -(-at >> ALIGNMENT) << ALIGNMENT
        places.append(at)
        joined += struct.pack(">IIIII", cpu, kind, at, len(part), ALIGNMENT)
        at += len(part)
    for place, (_, part) in zip(places, heads):
        joined += bytes(place - len(joined)) + part
    return bytes(joined)


def split(data):
    """Returns the part for each processor, by name."""
    if struct.unpack(">I", data[:4])[0] != FAT_MAGIC:
        return {architecture(data): data}
    count = struct.unpack(">I", data[4:8])[0]
    entries = [struct.unpack(">IIIII", data[8 + 20 * at : 28 + 20 * at]) for at in range(count)]
    return {architecture(data[at : at + size]): data[at : at + size] for _, _, at, size, _ in entries}


def architecture(part):
    magic, cpu = struct.unpack("<II", part[:8])
    if magic != THIN_MAGIC or cpu not in ARCHITECTURES:
        raise Wrong(f"not a 64-bit Mach-O for a Mac: it begins with {part[:8].hex()}")
    return ARCHITECTURES[cpu]


def read(part):
    """Returns what the load commands of one part say."""
    told = {"architecture": architecture(part), "libraries": [], "least": None, "plist": None, "signature": None}
    count = struct.unpack("<I", part[16:20])[0]
    at = 32
    for _ in range(count):
        command, size = struct.unpack("<II", part[at : at + 8])
        body = part[at : at + size]
        if command in LC_LOAD:
            start = struct.unpack("<I", body[8:12])[0]
            told["libraries"].append(body[start:].split(b"\0")[0].decode())
        elif command == LC_BUILD_VERSION:
            told["least"] = version(struct.unpack("<I", body[12:16])[0])
        elif command == LC_VERSION_MIN_MACOSX:
            told["least"] = version(struct.unpack("<I", body[8:12])[0])
        elif command == LC_SEGMENT_64:
            told["plist"] = told["plist"] or plist(part, body)
        elif command == LC_CODE_SIGNATURE:
            told["signature"] = struct.unpack("<II", body[8:16])
        at += size
    return told


def version(packed):
    return f"{packed >> 16}.{packed >> 8 & 255}"


def plist(part, segment):
    """Returns the bytes of the section `__TEXT,__info_plist`, if this segment has it."""
    for number in range(struct.unpack("<I", segment[64:68])[0]):
        section = segment[72 + 80 * number : 152 + 80 * number]
        names = (section[16:32].rstrip(b"\0"), section[:16].rstrip(b"\0"))
        if names == (b"__TEXT", b"__info_plist"):
            size, at = struct.unpack("<QI", section[40:52])
            return part[at : at + size]
    return None


def signature(part):
    """Returns what the signature of one part says, after verifying every hash in it.

    It does not check whether a certificate was issued by Apple. `cms` says whether there is one at all.
    """
    told = read(part)
    if told["signature"] is None:
        raise Wrong(f"the {told['architecture']} part has no signature")
    start, size = told["signature"]
    blob = part[start : start + size]
    magic, length, count = struct.unpack(">III", blob[:12])
    if magic != SUPER_BLOB or start + size != len(part) or length > size:
        raise Wrong(f"the {told['architecture']} part does not end with its signature")
    blobs = {}
    for at in range(count):
        slot, where = struct.unpack(">II", blob[12 + 8 * at : 20 + 8 * at])
        blobs[slot] = blob[where : where + struct.unpack(">I", blob[where + 4 : where + 8])[0]]
    directories = [found for slot, found in blobs.items() if found[:4] == struct.pack(">I", CODE_DIRECTORY)]
    checked = [directory(part, found, blobs, told["plist"]) for found in directories]
    if not any(hashes == SHA256 for hashes, _ in checked):
        raise Wrong("no code directory has SHA-256 hashes")
    return next(said for hashes, said in checked if hashes == SHA256) | {
        "entitlements": plistlib.loads(blobs[ENTITLEMENTS][8:]) if ENTITLEMENTS in blobs else {},
        "cms": len(blobs.get(CMS, b"")) > 8,
    }


def directory(part, found, blobs, info):
    """Verifies one code directory: recomputes the hash of each page, then of each special slot."""
    flags, hashes_at, name_at, special, pages, limit = struct.unpack(">IIIIII", found[12:36])
    width, kind, _, page = found[36], found[37], found[38], 1 << found[39]
    digest = (lambda data: hashlib.sha256(data).digest()[:width]) if kind == SHA256 else None
    team_at = struct.unpack(">I", found[48:52])[0] if struct.unpack(">I", found[8:12])[0] >= 0x20200 else 0
    said = {
        "identifier": text(found, name_at),
        "team": text(found, team_at) if team_at else None,
        "flags": {name for bit, name in FLAGS.items() if flags & bit},
        "plist": False,
        "pages": pages,
    }
    if digest is None:
        return kind, said  # an older hash in addition to the one that macOS uses
    if limit != read(part)["signature"][0] or pages != -(-limit // page):
        raise Wrong("the signature does not cover everything before it")
    for number in range(pages):
        expected = found[hashes_at + width * number :][:width]
        if digest(part[number * page : min(limit, (number + 1) * page)]) != expected:
            raise Wrong(f"page {number} is not the one that was signed")
    contents = {INFO_SLOT: info, **{slot: blobs.get(slot) for slot in (REQUIREMENTS, ENTITLEMENTS, ENTITLEMENTS_DER)}}
    for slot, content in contents.items():
        bound = found[hashes_at - width * slot :][:width] if slot <= special else bytes(width)
        if bound == bytes(width) and content is None:
            continue
        if content is None or digest(content) != bound:
            raise Wrong(f"special slot {slot} is not what was signed")
        said["plist"] |= slot == INFO_SLOT
    return kind, said


def text(data, at):
    return data[at : data.index(0, at)].decode()
