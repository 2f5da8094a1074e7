# SPDX-License-Identifier: GPL-3.0-or-later
"""PEP 517 build backend of the package attest, on the standard library alone.

A wheel is a zip archive of the package and four files about it; nothing here is compiled and nothing
depends on anything, so the general backends would only add something to download.
"""
import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EPOCH = (1980, 1, 1, 0, 0, 0)   # the earliest date of a zip archive: the same wheel every time


def _project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {key: re.search(rf'^{key} = "([^"]*)"$', text, re.MULTILINE).group(1)
            for key in ("name", "version", "description", "requires-python")}


def _metadata():
    project = _project()
    return ("Metadata-Version: 2.1\n"
            f"Name: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\nLicense: GPL-3.0-or-later\n"
            f"Requires-Python: {project['requires-python']}\n")


def _stem():
    project = _project()
    return f"{project['name']}-{project['version']}"


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _write_wheel(folder, package):
    info = f"{_stem()}.dist-info"
    files = dict(package)
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: attest_build\n"
                              b"Root-Is-Purelib: true\nTag: py3-none-any\n")
    record = "".join(f"{name},{_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    name = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(zipfile.ZipInfo(path, EPOCH), data)
    return name


def _package():
    return {f"attest/{path.name}": path.read_bytes()
            for path in sorted((ROOT / "attest").iterdir()) if path.suffix in (".py", ".typed")}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, _package())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {"attest.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = f"{_stem()}.tar.gz"
    files = {"pyproject.toml", "backend/attest_build.py", *_package()}
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for path in sorted(files):
            archive.add(ROOT / path, f"{_stem()}/{path}")
        about = tarfile.TarInfo(f"{_stem()}/PKG-INFO")
        data = _metadata().encode()
        about.size = len(data)
        archive.addfile(about, io.BytesIO(data))
    return name
