"""Where the protos lie, and a copy of them with all that belongs to them."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from fairplay.client.errors import UsageError

CHECKOUT = Path(__file__).resolve().parents[4]
"""The root of the repository, where this package is not installed from a wheel."""
BESIDE = ("README.md", "LICENSE", "buf.yaml", "buf.gen.yaml")


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
    """Write the protos into a folder, with their README, licence and configurations of buf."""
    source = find_protos()
    for proto in sorted(source.glob("fairplay/**/v1/*.proto")):
        target = folder / proto.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(proto, target)
    for name in BESIDE:
        shutil.copyfile(find_data("proto") / name, folder / name)
