"""`fairplay protos`: what is written suffices, and stubs are made where the generators are there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.terminal.authors.protos import LANGUAGES
from tests.terminal.running import Run, done

ROOT = Path(__file__).resolve().parents[2]
PROTO = ROOT / "proto"
LIMITS = ROOT / "generated" / "python" / "fairplay" / "v1" / "limits.json"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_folder_holds_the_protos_and_their_limits(fairplay: Run) -> None:
    assert done(fairplay("protos", "out")) == ""
    expected = contents(PROTO)
    expected["limits.json"] = LIMITS.read_bytes()
    assert contents(Path("out")) == expected


def test_the_folder_compiles_with_protoc_alone(fairplay: Run, tmp_path: Path) -> None:
    done(fairplay("protos", "out"))
    files = sorted(path.relative_to("out").as_posix() for path in Path("out").rglob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I.", "--descriptor_set_out=image"]
    subprocess.run([*command, *files], cwd=tmp_path / "out", check=True)


def test_stubs_of_python_can_be_imported(fairplay: Run, tmp_path: Path) -> None:
    done(fairplay("protos", "out", "--stubs", "python"))
    stubs = tmp_path / "out" / "gen" / "python"
    code = (
        f"import sys; sys.path.insert(0, {str(stubs)!r})\n"
        "from fairplay.v1 import connection_pb2_grpc as it, player_pb2\n"
        "print(it.ConnectionServiceStub.__name__, it.__file__, player_pb2.GameService(revision=1).revision)"
    )
    reported = subprocess.check_output([sys.executable, "-I", "-S", "-c", f"{_packages()}\n{code}"], text=True).split()
    assert reported == ["ConnectionServiceStub", str(stubs / "fairplay" / "v1" / "connection_pb2_grpc.py"), "1"]


def _packages() -> str:
    """Code that finds grpc and protobuf without running the .pth files that would find the stubs of the repository."""
    return f"import sys; sys.path += {[path for path in sys.path if path.endswith('site-packages')]!r}"


@pytest.mark.parametrize("language", [None, "python", "cobol"])
def test_a_folder_with_something_in_it_is_refused(fairplay: Run, language: str | None) -> None:
    Path("full").mkdir()
    Path("full", "mine").touch()
    ran = fairplay("protos", "full", *(["--stubs", language] if language else []))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "fairplay: full is not empty: name a new or an empty folder\n"
    assert [path.name for path in Path("full").iterdir()] == ["mine"]


def test_a_file_in_the_place_of_the_folder_is_refused(fairplay: Run) -> None:
    Path("file").touch()
    assert fairplay("protos", "file").code == 2


def test_an_unknown_language_is_refused_with_those_that_there_are(fairplay: Run) -> None:
    ran = fairplay("protos", "out", "--stubs", "latin")
    assert (ran.code, ran.out) == (2, "")
    assert f"choose one of {', '.join(LANGUAGES)}" in ran.err
    assert not Path("out").exists()


def test_a_missing_plugin_is_named_with_what_to_install(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def which(name: str) -> str | None:
        return "/usr/bin/protoc" if name == "protoc" else None

    monkeypatch.setattr(shutil, "which", which)
    for language in sorted(LANGUAGES.keys() - {"python"}):
        ran = fairplay("protos", "out", "--stubs", language)
        plugin = next(output.plugin for output in LANGUAGES[language].outputs if output.plugin)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err == f"fairplay: {plugin} is missing: {LANGUAGES[language].advice}\n"
        assert not Path("out").exists()


def test_a_missing_protoc_is_named_with_what_to_install(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ran = fairplay("protos", "out", "--stubs", "java")
    assert ran.code == 1
    assert ran.err.startswith("fairplay: protoc is missing: install protobuf-compiler")
    assert ran.err.count("\n") == 1


def test_the_configuration_of_buf_uses_the_generators_of_the_command() -> None:
    text = (PROTO / "buf.gen.yaml").read_text()
    for language in LANGUAGES.values():
        for output in language.outputs:
            assert (output.plugin or f"{output.name}\n".removeprefix("grpc_python\n")) in text
