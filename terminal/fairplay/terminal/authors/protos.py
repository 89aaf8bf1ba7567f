"""The protos and stubs made of them, written into a folder with all that belongs to them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from fairplay.client.errors import FailedError, UsageError
from fairplay.games.distribution import pip_install

CHECKOUT = Path(__file__).resolve().parents[4]
"""The root of the repository, where this package is not installed from a wheel."""
BESIDE = ("README.md", "SPECIFICATION.md", "LICENSE", "buf.yaml", "buf.gen.yaml", "image.binpb")
GO_MODULE = "github.com/fairplay-protocol/fairplay-go"


def find_data(name: str) -> Path:
    """Return a folder of the repository: a wheel brings it as data of this package."""
    bundled = Path(__file__).parents[1] / "data" / name
    return bundled if bundled.is_dir() else CHECKOUT / name


def find_protos() -> Path:
    """Return the folder that imports between protos begin in: a wheel has the protos beside their stubs."""
    stubs = find_spec("fairplay.v1.player_pb2")
    assert stubs is not None
    assert stubs.origin is not None
    installed = Path(stubs.origin).parents[2]
    return installed if (installed / "fairplay" / "v1" / "player.proto").exists() else CHECKOUT / "proto"


def check_empty(folder: Path) -> None:
    """Raise UsageError if something is in a folder, or if it is a file."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty: name a new or an empty folder")


def write_protos(folder: Path) -> None:
    """Write the protos into a folder, with their limits and what is beside them in the repository."""
    source = find_protos()
    for proto in sorted(source.glob("fairplay/**/v1/*.proto")):
        target = folder / proto.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(proto, target)
    with as_file(files("fairplay.v1").joinpath("limits.json")) as limits:
        shutil.copyfile(limits, folder / "limits.json")
    for name in BESIDE:
        shutil.copyfile(find_data("proto") / name, folder / name)


class Output(NamedTuple):
    """What protoc writes: with a generator of its own, or with the program `plugin`."""

    name: str
    plugin: str = ""
    option: str = ""


@dataclass(frozen=True, slots=True)
class Language:
    """What is written for a language, and how its generators are installed."""

    outputs: tuple[Output, ...]
    advice: str


class Generator(NamedTuple):
    """The command that makes stubs, but for folders and files, and what it writes where."""

    language: str
    protoc: tuple[str, ...]
    outputs: tuple[Output, ...]


JAVA = (Output("java"), Output("grpc-java", "protoc-gen-grpc-java", "@generated=omit"))
LANGUAGES: Mapping[str, Language] = {
    "cpp": Language(
        (Output("cpp"), Output("grpc", "grpc_cpp_plugin")),
        "install gRPC for C++ (Debian, Ubuntu: protobuf-compiler-grpc; macOS: brew install grpc)",
    ),
    "csharp": Language(
        (Output("csharp", option="base_namespace="), Output("grpc", "grpc_csharp_plugin", "base_namespace=")),
        "take it from the tools of the NuGet package Grpc.Tools, and put it on the PATH",
    ),
    "dart": Language((Output("dart", "protoc-gen-dart", "grpc"),), "dart pub global activate protoc_plugin"),
    "go": Language(
        (
            Output("go", "protoc-gen-go", f"module={GO_MODULE}"),
            Output("go-grpc", "protoc-gen-go-grpc", f"module={GO_MODULE}"),
        ),
        "go install google.golang.org/protobuf/cmd/protoc-gen-go@latest && "
        "go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@latest, and put $(go env GOPATH)/bin on the PATH",
    ),
    "java": Language(JAVA, "take io.grpc:protoc-gen-grpc-java from Maven Central, and put it on the PATH by this name"),
    "kotlin": Language(
        (*JAVA, Output("kotlin"), Output("grpckt", "protoc-gen-grpc-kotlin")),
        "take io.grpc:protoc-gen-grpc-java and io.grpc:protoc-gen-grpc-kotlin from Maven Central, and put them on the "
        "PATH by these names",
    ),
    "python": Language((Output("python"), Output("grpc_python")), pip_install("grpcio-tools")),
    "rust": Language(
        (Output("prost", "protoc-gen-prost"), Output("tonic", "protoc-gen-tonic")),
        "cargo install protoc-gen-prost protoc-gen-tonic, or leave it to tonic-prost-build in build.rs",
    ),
    "swift": Language(
        (Output("swift", "protoc-gen-swift"), Output("grpc-swift-2", "protoc-gen-grpc-swift-2")),
        "build apple/swift-protobuf and grpc/grpc-swift-protobuf (macOS: brew install swift-protobuf "
        "protoc-gen-grpc-swift)",
    ),
    "typescript": Language(
        (Output("ts_proto", "protoc-gen-ts_proto", "outputServices=grpc-js,importSuffix=.js,forceLong=bigint"),),
        "npm install --global ts-proto",
    ),
}


def find_generator(language: str) -> Generator:
    """Return what makes stubs of a language on this machine.

    Raises UsageError if the language is unknown, FailedError if something is to be installed.
    """
    if language not in LANGUAGES:
        raise UsageError(f"no stubs can be made for {language!r}: choose one of {', '.join(LANGUAGES)}")
    outputs, advice = LANGUAGES[language].outputs, LANGUAGES[language].advice
    if language == "python":
        if find_spec("grpc_tools") is None:
            raise FailedError(f"grpcio-tools is missing: {advice}")
        return Generator(language, (sys.executable, "-m", "grpc_tools.protoc"), outputs)
    protoc = shutil.which("protoc")
    if protoc is None:
        raise FailedError(
            "protoc is missing: install protobuf-compiler (Debian, Ubuntu), brew install protobuf (macOS), or take it "
            "from https://github.com/protocolbuffers/protobuf/releases"
        )
    found: list[Output] = []
    for output in outputs:
        program = shutil.which(output.plugin) if output.plugin else ""
        if program is None:
            raise FailedError(f"{output.plugin} is missing: {advice}")
        found.append(output._replace(plugin=program))
    return Generator(language, (protoc,), tuple(found))


# --- stubs ---


def write_stubs(folder: Path, generator: Generator) -> None:
    """Write stubs of the protos in a folder into gen/LANGUAGE there. Raises FailedError if protoc fails."""
    out = folder / "gen" / generator.language
    out.mkdir(parents=True)
    arguments = [f"--proto_path={folder}"]
    for output in generator.outputs:
        arguments.append(f"--{output.name}_out={output.option}{':' if output.option else ''}{out}")
        if output.plugin:
            arguments.append(f"--plugin=protoc-gen-{output.name}={output.plugin}")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.glob("fairplay/**/*.proto"))
    done = subprocess.run([*generator.protoc, *arguments, *files], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FailedError(f"protoc has failed: {' '.join(done.stderr.split())}")
    if generator.language == "go":
        (out / "go.mod").write_text(f"module {GO_MODULE}\n\ngo 1.24\n", encoding="utf-8")
