"""Reproducible archives: sorted entries, one fixed time, and no owner."""

import gzip
import hashlib
import io
import json
import tarfile
import time
import zipfile


class Folder:
    """The folder of a release. It records the SHA-256 of each file in it."""

    def __init__(self, path, epoch, level):
        self.path, self.epoch, self.level, self.hashes = path, epoch, level, {}

    def bytes(self, name, data):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.hashes[name] = hashlib.sha256(data).hexdigest()

    def text(self, name, text):
        self.bytes(name, text.encode())

    def json(self, name, value):
        self.text(name, json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def tar(self, name, contents):
        """Writes a .tar.gz of contents by path, each with its mode."""
        self.bytes(name, tar(contents, self.epoch, self.level))

    def zip(self, name, contents):
        self.bytes(name, zipped(contents, self.epoch, self.level))

    def checksums(self):
        """Writes SHA256SUMS in the format of `sha256sum`, with every file of the release."""
        lines = [f"{digest}  {name}\n" for name, digest in sorted(self.hashes.items())]
        self.text("SHA256SUMS", "".join(lines))


def tar(contents, epoch, level):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=level, mtime=epoch, filename="") as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for path, (data, mode) in sorted(contents.items()):
                entry = tarfile.TarInfo(path)
                entry.size, entry.mode, entry.mtime = len(data), mode, epoch
                archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def zipped(contents, epoch, level):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for path, (data, mode) in sorted(contents.items()):
            entry = zipfile.ZipInfo(path, time.gmtime(epoch)[:6])
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED, level)
    return packed.getvalue()
