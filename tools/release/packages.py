"""The packages of a release, each made in an empty folder of what tools/generate_languages.py makes there."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from fairplay.terminal.authors.protos import write_protos
from tools.generate_languages import (
    EXAMPLES,
    GO_MODULE,
    PROTO,
    ROOT,
    build_rust_modules,
    execute,
    make_go,
    make_java,
    make_rust,
    make_typescript,
)
from tools.generate_languages import (
    PACKAGES as PROTO_PACKAGES,
)
from tools.release.files import PACKAGES, below, fill_in, write_tar, write_zip

MAVEN_GROUP = "io.github.fairplay-protocol"
NAME = "fairplay-protocol"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION: str = PROJECT["version"]
VALUES = {"VERSION": VERSION}
STUBS = {
    "crate": ("players::proto::fish", "fairplay_protocol::fairplay::fish::v1"),
    "go": ("example.com/players/gen", GO_MODULE),
    "npm": ("./gen/fairplay/", f"{NAME}/"),
}
"""What an example imports its stubs from, and what a player does that has the package; others do alike."""
Names = Sequence[tuple[str, str]]


class Made(NamedTuple):
    """Files that were made, and the libraries that they need at run time, by name and version."""

    files: Sequence[Path]
    libraries: Names = ()


@dataclass(frozen=True, slots=True)
class Package:
    """A part of a release: its type and name as package URLs have them, the programs that it takes, and its maker.

    `make` is given an empty folder to work in, and the folder in which it puts its files.
    """

    title: str
    purl: str
    programs: Sequence[str]
    make: Callable[[Path, Path], Made]


def make_python(folder: Path, out: Path) -> Made:
    """Make wheel and sdist. The libraries are those that pip would install with all extras for users."""
    execute(ROOT, sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out))
    [wheel] = out.glob("*.whl")
    [sdist] = out.glob("fairplay_protocol-*.tar.gz")
    extras = ",".join(sorted(PROJECT["optional-dependencies"].keys() - {"dev"}))
    report = folder / "report.json"
    pip = ("-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", str(report))
    execute(folder, sys.executable, *pip, f"{wheel}[{extras}]")
    found = [each["metadata"] for each in json.loads(report.read_text("utf-8"))["install"]]
    return Made((wheel, sdist), [(each["name"], each["version"]) for each in found if each["name"] != NAME])


def make_protos(folder: Path, out: Path) -> Made:
    """Make the archive of the protos, which is a module of buf."""
    write_protos(folder)
    return Made([write_tar(out / f"fairplay-protos-{VERSION}.tar.gz", folder)])


def make_site(folder: Path, out: Path) -> Made:
    """Make the archive of the site: the pages of this version, for people who have no network, and to be served."""
    execute(ROOT, sys.executable, "-m", "tools.site", "--output", str(folder))
    return Made([write_tar(out / f"fairplay-site-{VERSION}.tar.gz", folder)])


def make_npm(folder: Path, out: Path) -> Made:
    """Make the npm package: JavaScript with declarations of types."""
    package = _package("npm", folder)
    make_typescript(folder / "made")
    example = json.loads((EXAMPLES / "typescript" / "package.json").read_text("utf-8"))
    lock = json.loads((EXAMPLES / "typescript" / "package-lock.json").read_text("utf-8"))
    manifest = json.loads((package / "package.json").read_text("utf-8"))
    manifest["dependencies"] = example["dependencies"]
    (package / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", "utf-8")
    shutil.copytree(folder / "made" / "dist", package, dirs_exist_ok=True)
    execute(package, "npm", "pack", "--loglevel=error", "--pack-destination", str(out))
    libraries = [
        (path.removeprefix("node_modules/"), each["version"])
        for path, each in lock["packages"].items()
        if path and not each.get("dev")
    ]
    return Made([out / f"{NAME}-{VERSION}.tgz"], libraries)


def make_go_module(folder: Path, out: Path) -> Made:
    """Make the zip of the Go module, in the form that the module proxy has."""
    made, package = folder / "made", _package("go", folder)
    make_go(made)
    execute(made, "go", "mod", "edit", *(f"-droptool={tool}" for tool in _go_tools(made)))
    execute(made, "go", "mod", "tidy")
    for name in ("go.mod", "go.sum", "fairplay"):
        shutil.move(made / name, package / name)
    target = out / f"fairplay-go-{VERSION}.zip"
    write_zip(target, ((f"{GO_MODULE}@v{VERSION}/{name}", content) for name, content in below(package)))
    used = execute(package, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./...")
    libraries = {tuple(line.split()) for line in used.splitlines() if line.strip()}
    return Made([target], sorted((each[0], each[1]) for each in libraries if len(each) == 2))


def _go_tools(folder: Path) -> list[str]:
    tools = json.loads(execute(folder, "go", "mod", "edit", "-json")).get("Tool") or ()
    return [each["Path"] for each in tools]


def make_crate(folder: Path, out: Path) -> Made:
    """Make the crate, with its code made, so that nobody who uses it needs protoc."""
    example = tomllib.loads((EXAMPLES / "rust" / "Cargo.toml").read_text("utf-8"))["dependencies"]
    versions = {name.upper(): each if isinstance(each, str) else each["version"] for name, each in example.items()}
    package = _package("crate", folder, versions)
    make_rust(folder / "made")
    source = package / "src"
    source.mkdir()
    for made in sorted((folder / "made" / "target" / "debug" / "build").glob("*/out/fairplay.*.rs")):
        shutil.copy(made, source)
    modules = re.sub(r"tonic::include_proto!\(\"(.+?)\"\)", r'include!("\1.rs")', build_rust_modules(PROTO_PACKAGES))
    (source / "lib.rs").write_text(
        f"//! Messages and services of Fairplay; README.md has a player.\n\n{modules}\n", "utf-8"
    )
    shutil.copy(EXAMPLES / "rust" / "Cargo.lock", package)
    execute(package, "cargo", "package", "--quiet", "--no-verify", "--allow-dirty", "--exclude-lockfile")
    crate = package / "target" / "package" / f"{NAME}-{VERSION}.crate"
    tree = execute(package, "cargo", "tree", "--prefix", "none", "--edges", "normal", "--no-dedupe", "--format", "{p}")
    libraries = {tuple(line.split()[:2]) for line in tree.splitlines() if not line.startswith(NAME)}
    return Made(
        [Path(shutil.copy(crate, out))], sorted((name, version.removeprefix("v")) for name, version in libraries)
    )


def make_maven(folder: Path, out: Path) -> Made:
    """Make jar, sources and pom."""
    example = (EXAMPLES / "java" / "pom.xml").read_text("utf-8")
    versions = re.findall(r"<(grpc|protobuf)\.version>(.+)</", example)
    made, package = folder / "made", _package("maven", folder, {name.upper(): version for name, version in versions})
    make_java(made)
    pom = package / "pom.xml"
    stem = f"{NAME}-{VERSION}"
    described = [
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nAutomatic-Module-Name: fairplay.protocol\r\n\r\n"),
        ("META-INF/LICENSE", (package / "LICENSE").read_bytes()),
        ("META-INF/README.md", (package / "README.md").read_bytes()),
        (f"META-INF/maven/{MAVEN_GROUP}/{NAME}/pom.xml", pom.read_bytes()),
    ]
    sources = made / "target" / "generated-sources" / "protobuf"
    files = [
        write_zip(out / f"{stem}.jar", [*described, *below(made / "target" / "classes")]),
        write_zip(out / f"{stem}-sources.jar", [*described, *below(sources)]),
        Path(shutil.copy(pom, out / f"{stem}.pom")),
    ]
    listed = execute(package, "mvn", "--batch-mode", "dependency:list", "-DincludeScope=runtime")
    found = re.findall(r"^\[INFO\] +([\w.-]+):([\w.-]+):jar:([\w.-]+):(?:compile|runtime)", listed, re.MULTILINE)
    return Made(files, sorted((f"{group}/{name}", version) for group, name, version in found))


def make_cpp(folder: Path, out: Path) -> Made:
    """Make the archive of the CMake package, which makes its code where it is built."""
    package = _package("cpp", folder)
    shutil.copytree(PROTO / "fairplay", package / "proto" / "fairplay")
    return Made([write_tar(out / f"{NAME}-cpp-{VERSION}.tar.gz", package)], [("grpc", ""), ("protobuf", "")])


def _package(language: str, folder: Path, values: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Return a folder below one, with what packages/ has for a language, filled in, and the licence."""
    package = folder / "package"
    for source in (PACKAGES / language).iterdir():
        fill_in(source, package / source.name, {**VALUES, **values}, STUBS.get(language, ("", "")))
    shutil.copy(ROOT / "LICENSE", package)
    (folder / "made").mkdir()
    return package


PACKAGES_MADE = (
    Package("python", f"pypi/{NAME}", (), make_python),
    Package("protos", "generic/fairplay-protos", (), make_protos),
    Package("site", "generic/fairplay-site", (), make_site),
    Package("npm", f"npm/{NAME}", ("node", "npm"), make_npm),
    Package("go", f"golang/{GO_MODULE}", ("go",), make_go_module),
    Package("crate", f"cargo/{NAME}", ("cargo",), make_crate),
    Package("maven", f"maven/{MAVEN_GROUP}/{NAME}", ("java", "javac", "mvn"), make_maven),
    Package("cpp", f"generic/{NAME}-cpp", (), make_cpp),
)
