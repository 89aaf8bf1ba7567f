"""Make code of all protos for nine languages, and compile it where the language is installed: `make
check-languages-generate`. The packages of a release (tools/release) are made of what is made here.

Generators come from npm, Maven Central, the module proxy of Go, crates.io and Debian. What has no generator there is
named; tests/proto/test_names.py looks for names with which it could not cope.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
EXAMPLES = ROOT / "examples"
PROTOC = (str(ROOT / ".tools" / "bin" / "python"), "-m", "grpc_tools.protoc")
"""The one of tools/requirements.txt: what is made does not depend on the machine."""
DEBIAN = ("protoc",)
"""For C++, of the version of its headers, with which alone it compiles; and for languages that PROTOC does not know."""
FILES = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
PACKAGES = sorted({Path(file).parent.as_posix().replace("/", ".") for file in FILES})
GO_MODULE = "github.com/fairplay-protocol/fairplay-go"
LIMIT_S = 1800.0
"""For each command: most of it is what the first run fetches and compiles."""
UNAVAILABLE: Mapping[str, str] = {
    "Swift": "protoc-gen-swift comes with Swift's own package manager",
    "Dart": "protoc_plugin comes with Dart's own package manager",
}
"""Languages without a generator in the registries above."""


class FailedError(Exception):
    """Code could not be made or compiled; a few lines for people."""


@dataclass(frozen=True, slots=True)
class Language:
    """What is made for a language in an empty folder, and the programs that it takes."""

    name: str
    what: str
    programs: tuple[str, ...]
    make: Callable[[Path], None]


def execute(folder: Path, *command: str, limit_s: float = LIMIT_S) -> str:
    """Run a command in a folder and return what it prints. Raises FailedError if it fails or takes too long."""
    environment = {**os.environ, "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            printed, errors = running.communicate(timeout=limit_s)
        except BaseException as error:
            os.killpg(running.pid, signal.SIGKILL)  # what it has started would go on in a folder that is removed
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise FailedError(f"{' '.join(command[:4])} … was not done after {limit_s:g} s") from None
    if running.returncode != 0:
        raise FailedError(f"{' '.join(command[:4])} … ended with {running.returncode}:\n{printed}{errors}")
    return printed


def protoc(folder: Path, *outputs: str, program: Sequence[str] = PROTOC) -> None:
    """Make code of all protos in folder/gen."""
    (folder / "gen").mkdir(exist_ok=True)
    execute(folder, *program, f"--proto_path={PROTO}", *outputs, *FILES)


def make_java(folder: Path) -> None:
    """Make and compile messages and services with the versions of the example."""
    pom = (EXAMPLES / "java" / "pom.xml").read_text("utf-8")
    pom = pom.replace("${project.basedir}/../../proto", PROTO.as_posix())
    (folder / "pom.xml").write_text(re.sub(r"\s*<include>[^<]*\.proto</include>", "", pom), "utf-8")
    execute(folder, "mvn", "--batch-mode", "--quiet", "--no-transfer-progress", "compile")
    made = {path.stem for path in (folder / "target" / "classes").rglob("*Proto.class")}
    if absent := {f"{Path(file).stem.title().replace('_', '')}Proto" for file in FILES} - made:
        raise FailedError(f"not made: {', '.join(sorted(absent))}")


def make_kotlin(folder: Path) -> None:
    """Make the messages, which extend those of Java."""
    protoc(folder, "--java_out=gen", "--kotlin_out=gen", program=DEBIAN)


def make_csharp(folder: Path) -> None:
    """Make the messages."""
    protoc(folder, "--csharp_out=gen", "--csharp_opt=base_namespace=", program=DEBIAN)


def make_go(folder: Path) -> None:
    """Make and compile messages and services with the generators of the example."""
    shutil.copy(EXAMPLES / "go" / "go.mod", folder)
    shutil.copy(EXAMPLES / "go" / "go.sum", folder)
    execute(folder, "env", f"GOBIN={folder / 'bin'}", "go", "install", "tool")
    protoc(
        folder,
        "--go_out=gen",
        f"--go_opt=module={GO_MODULE}",
        "--go-grpc_out=gen",
        f"--go-grpc_opt=module={GO_MODULE}",
    )
    execute(folder, "go", "mod", "edit", f"-module={GO_MODULE}")
    shutil.copytree(folder / "gen" / "fairplay", folder / "fairplay")
    execute(folder, "go", "build", "./fairplay/...")


def make_rust(folder: Path) -> None:
    """Make and compile messages and services with the crates of the example."""
    for name in ("Cargo.toml", "Cargo.lock", "build.rs"):
        shutil.copy(EXAMPLES / "rust" / name, folder)
    build = (folder / "build.rs").read_text("utf-8").replace("../../proto", PROTO.as_posix())
    listed = f"const FILES: [&str; {len(FILES)}] = {json.dumps(FILES)};"
    (folder / "build.rs").write_text(re.sub(r"const FILES: .*?\];", listed, build, flags=re.DOTALL), "utf-8")
    (folder / "src").mkdir()
    (folder / "src" / "lib.rs").write_text(build_rust_modules(PACKAGES), "utf-8")
    execute(folder, "cargo", "check", "--quiet", "--lib")


def build_rust_modules(packages: Sequence[str]) -> str:
    """Return modules that are nested as the packages are: generated code names others by their place."""
    outer = dict.fromkeys(package.partition(".")[0] for package in packages)
    return "\n".join(f"pub mod {name} {{ {_rust_module(name, packages)} }}" for name in outer)


def _rust_module(path: str, packages: Sequence[str]) -> str:
    own = f'tonic::include_proto!("{path}");' if path in packages else ""
    below = [package.removeprefix(f"{path}.") for package in packages if package.startswith(f"{path}.")]
    names = dict.fromkeys(package.partition(".")[0] for package in below)
    return own + " ".join(f"pub mod {name} {{ {_rust_module(f'{path}.{name}', packages)} }}" for name in names)


def make_cpp(folder: Path) -> None:
    """Make messages and services, and compile all their headers together."""
    plugin = shutil.which("grpc_cpp_plugin")
    outputs = ("--cpp_out=gen", "--grpc_out=gen", f"--plugin=protoc-gen-grpc={plugin}")
    protoc(folder, *outputs, program=DEBIAN)
    headers = sorted(path.relative_to(folder / "gen").as_posix() for path in (folder / "gen").rglob("*.h"))
    (folder / "all.cc").write_text("".join(f'#include "{header}"\n' for header in headers), "utf-8")
    execute(folder, "g++", "-std=c++17", "-fsyntax-only", "-Igen", "all.cc")


def make_typescript(folder: Path) -> None:
    """Make and compile messages and services with the packages of the example."""
    for name in ("package.json", "package-lock.json", "tsconfig.json"):
        shutil.copy(EXAMPLES / "typescript" / name, folder)
    execute(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    protoc(
        folder,
        "--plugin=node_modules/.bin/protoc-gen-ts_proto",
        "--ts_proto_out=gen",
        "--ts_proto_opt=outputServices=grpc-js,importSuffix=.js,forceLong=bigint,outputJsonMethods=false",
    )
    shutil.move(folder / "gen", folder / "src")
    execute(folder, "npx", "tsc", "--declaration")


LANGUAGES = (
    Language("Java", "messages and services, compiled", ("java", "javac", "mvn"), make_java),
    Language("Kotlin", "messages; services need a plugin beside protoc", DEBIAN, make_kotlin),
    Language("C#", "messages; the plugin for services comes with NuGet", DEBIAN, make_csharp),
    Language("Go", "messages and services, compiled", ("go",), make_go),
    Language("Rust", "messages and services, compiled", ("cargo",), make_rust),
    Language("C++", "messages and services, compiled", ("protoc", "g++", "grpc_cpp_plugin"), make_cpp),
    Language("TypeScript", "messages and services, compiled", ("node", "npm"), make_typescript),
)
EXAMPLE_OF = {"Java": "java", "Rust": "rust"}
"""The examples that say which versions of their generators are used."""


def missing(language: Language) -> list[str]:
    """Return what the language lacks here."""
    lacking = [program for program in language.programs if shutil.which(program) is None]
    example = EXAMPLE_OF.get(language.name)
    return lacking + ([f"examples/{example}"] if example and not (EXAMPLES / example).is_dir() else [])


def main(chosen: Sequence[str]) -> int:
    """Try all languages, or those of these names. Return 1 if code could not be made or compiled."""
    failed = False
    for language in LANGUAGES:
        if chosen and language.name not in chosen:
            continue
        if lacking := missing(language):
            print(f"{language.name}: not tried, because {', '.join(lacking)} is missing", flush=True)
            continue
        began = time.monotonic()
        try:
            with TemporaryDirectory() as scratch:
                language.make(Path(scratch))
        except FailedError as error:
            failed = True
            print(f"{language.name}: FAILED: {error}", flush=True)
        else:
            print(f"{language.name}: {language.what}; {time.monotonic() - began:.1f} s", flush=True)
    for name, reason in UNAVAILABLE.items():
        print(f"{name}: not tried, because {reason}: tests/proto/test_names.py looks at its names", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
