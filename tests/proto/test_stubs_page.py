"""What proto/README.md says of making stubs does so, in every language whose tools are here. Needs the registries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.slow import SLOW

TEXT = (ROOT / "proto" / "README.md").read_text().partition("\n## Stubs\n")[2].partition("\n## ")[0]
INDENTED = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
TRIED = {
    "Python": ("PYTHONPATH=gen python -m fairplay.fish.v1.fish_player_pb2_grpc", "python"),
    "Go": ("cd gen && go mod tidy && go build ./...", "go", "protoc"),
    "TypeScript": ("test -s gen/fairplay/fish/v1/fish_player.ts", "npm", "protoc"),
    "JavaScript": ("node stubs.js", "npm"),
    "C++": ("g++ -fsyntax-only -I gen gen/fairplay/fish/v1/fish_player.grpc.pb.cc", "g++", "grpc_cpp_plugin", "protoc"),
}
"""What is done with the stubs of a language, and the programs that it takes."""


def commands(language: str) -> list[str]:
    """Return what an author types: what is to be installed first, then the lines of the language."""
    section = TEXT.partition(f"**{language}.**")[2].partition("\n**")[0]
    shared = INDENTED.findall(TEXT.partition("\n**")[0])
    code = "".join(INDENTED.findall(section))
    return [*shared, *re.findall(r"`((?:npm|pip) install [^`]+)`", section), code]


@SLOW
@pytest.mark.parametrize("language", TRIED)
def test_what_the_page_says_makes_stubs(language: str, tmp_path: Path) -> None:
    then, *programs = TRIED[language]
    if any(shutil.which(program) is None for program in programs):
        pytest.skip(f"needs {', '.join(programs)}")
    *first, code = commands(language)
    if language == "JavaScript":
        (tmp_path / "stubs.js").write_text(f"{code}\nfairplay.fish.v1.FishPlayerService.service.TakeTurn.path;\n")
        code = ""
    if language == "Go":
        first = ["go mod init example.com/player", *first]
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    (tmp_path / "proto").symlink_to(ROOT / "proto")
    paths = (tmp_path / "env" / "bin", tmp_path / "go" / "bin", os.environ["PATH"])
    environment = {**os.environ, "PATH": os.pathsep.join(map(str, paths)), "GOBIN": str(tmp_path / "go" / "bin")}
    script = "\n".join([*first, code, then])
    ran = subprocess.run(
        ["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{script}\n{ran.stdout}{ran.stderr}"
