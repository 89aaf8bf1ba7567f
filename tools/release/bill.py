"""The software bill of materials of a release: which files it has, and which libraries they need, as CycloneDX."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tools.release.files import epoch, sha256
from tools.release.packages import VERSION, Made, Package


def write_bill(target: Path, made: Mapping[Package, Made]) -> None:
    """Write a CycloneDX 1.6 bill of materials of packages that were made."""
    own = {package: _url(package.purl, VERSION) for package in made}
    libraries = {url: each for package in made for url, each in _libraries(package, made[package])}
    components = [_component(own[package], package.purl, VERSION) | _files(each) for package, each in made.items()]
    components += [_component(url, *libraries[url]) for url in sorted(libraries)]
    needs = [{"ref": own[p], "dependsOn": sorted(url for url, _ in _libraries(p, made[p]))} for p in made]
    whole = _component(f"fairplay@{VERSION}", "generic/fairplay", VERSION)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(components)).urn,
        "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(epoch(), UTC).isoformat(), "component": whole},
        "components": components,
        "dependencies": [{"ref": whole["bom-ref"], "dependsOn": sorted(own.values())}, *needs],
    }
    target.write_text(json.dumps(bill, indent=1) + "\n", "utf-8")


def _libraries(package: Package, made: Made) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the libraries of a package: the package URL, then type with name, and version."""
    kind = package.purl.partition("/")[0]
    for name, version in made.libraries:
        yield _url(f"{kind}/{name}", version), (f"{kind}/{name}", version)


def _url(name: str, version: str) -> str:
    return f"pkg:{quote(name, safe='/')}{f'@{quote(version)}' if version else ''}"


def _component(ref: str, name: str, version: str) -> dict[str, Any]:
    described = {"type": "library", "bom-ref": ref, "name": name.partition("/")[2], "version": version}
    return described | {"purl": _url(name, version)}


def _files(made: Made) -> dict[str, Any]:
    files = [
        {"type": "file", "name": path.name, "hashes": [{"alg": "SHA-256", "content": sha256(path)}]}
        for path in made.files
    ]
    return {"licenses": [{"license": {"id": "Apache-2.0"}}], "components": files}
