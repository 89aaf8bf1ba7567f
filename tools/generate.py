"""Make generated/python from proto/: the stubs and limits.json; or with --check say whether it is what they give.

Run by `make generate` and `make check` in the environment of tools/requirements.txt.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc_tools
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

from tools.limits import CommentError, write_limits

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
GENERATED = ROOT / "generated" / "python"


def generate(out: Path) -> int:
    """Write the stubs of all protos and limits.json into the empty folder `out` and return protoc's exit code.

    A comment that states a limit in no form that is understood counts as a proto that does not compile.
    """
    protos = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    plugins = Path(sys.executable).parent
    image = out / "image.binpb"
    code: int = protoc.main(
        [
            "protoc",
            f"--proto_path={PROTO}",
            f"--proto_path={well_known}",
            f"--python_out={out}",
            f"--grpc_python_out={out}",
            f"--plugin=protoc-gen-mypy={plugins / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={plugins / 'protoc-gen-mypy_grpc'}",
            f"--mypy_out=quiet:{out}",
            f"--mypy_grpc_out=quiet:{out}",
            f"--descriptor_set_out={image}",
            "--include_source_info",
            *protos,
        ]
    )
    if code == 0:
        # The namespace belongs to several distributions, so that each of its packages says for itself that it is typed.
        for package in {path.parent for path in out.rglob("*_pb2.py")}:
            (package / "py.typed").touch()
        try:
            limits = write_limits(FileDescriptorSet.FromString(image.read_bytes()))
        except CommentError as error:
            print(error, file=sys.stderr)
            return 1
        (out / "fairplay" / "v1" / "limits.json").write_text(limits, encoding="utf-8")
    return code


def replace(old: Path, new: Path) -> None:
    """Put the folder `new` in the place of `old`, so that stubs of protos that are gone go too."""
    shutil.rmtree(old, ignore_errors=True)
    old.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(new, old)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, by its path in there. Caches of Python do not count."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def differences(kept: Mapping[str, bytes], fresh: Mapping[str, bytes]) -> list[str]:
    """Return the paths that are in one of the two only, or not the same in both."""
    return sorted(path for path in kept.keys() | fresh.keys() if kept.get(path) != fresh.get(path))


def check() -> int:
    """Return 0 if the stubs are fresh, 1 if they are not or the protos do not compile."""
    with TemporaryDirectory() as scratch:
        if generate(Path(scratch)) != 0:
            return 1
        stale = differences(contents(GENERATED / "fairplay"), contents(Path(scratch) / "fairplay"))
    if not stale:
        return 0
    named = ", ".join(stale[:3]) + (", ..." if len(stale) > 3 else "")
    print(
        f"generated/python is not what proto/ gives ({len(stale)} files differ: {named}): "
        "run `make generate` and commit what changes.",
        file=sys.stderr,
    )
    return 1


def main() -> int:
    """Replace the stubs. They stay as they are where the protos do not compile."""
    with TemporaryDirectory() as scratch:
        code = generate(Path(scratch))
        if code == 0:
            replace(GENERATED / "fairplay", Path(scratch) / "fairplay")
    return code


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv[1:] else main())
