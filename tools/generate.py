"""Make generated/python from proto/. Run by `make generate` in the environment of tools/requirements.txt."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc_tools
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
GENERATED = ROOT / "generated" / "python"


def generate(out: Path) -> int:
    """Write the stubs of all protos into the empty folder `out` and return protoc's exit code."""
    protos = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    plugins = Path(sys.executable).parent
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
            *protos,
        ]
    )
    if code == 0:
        # The namespace belongs to several distributions, so that each of its packages says for itself that it is typed.
        for package in {path.parent for path in out.rglob("*_pb2.py")}:
            (package / "py.typed").touch()
    return code


def replace(old: Path, new: Path) -> None:
    """Put the folder `new` in the place of `old`, so that stubs of protos that are gone go too."""
    shutil.rmtree(old, ignore_errors=True)
    old.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(new, old)


def main() -> int:
    """Replace the stubs. They stay as they are where the protos do not compile."""
    with TemporaryDirectory() as scratch:
        code = generate(Path(scratch))
        if code == 0:
            replace(GENERATED / "fairplay", Path(scratch) / "fairplay")
    return code


if __name__ == "__main__":
    sys.exit(main())
