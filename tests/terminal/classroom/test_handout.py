"""`fairplay class new`: the zip that students get, and the file that says how their programs are started."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.terminal.running import Run, done

WHEEL = "fairplay_protocol-9-py3-none-any.whl"


def test_students_get_a_player_in_each_language_the_package_the_rules_and_what_to_do(fairplay: Run) -> None:
    Path(WHEEL).write_bytes(b"a wheel")
    printed = done(fairplay("class", "new", "spring", "--game", "q", "--languages", "python,go,sh", "--package", WHEEL))
    assert printed.startswith("spring/hand-out.zip is what students get")
    with zipfile.ZipFile("spring/hand-out.zip") as archive:
        texts = {
            name.removeprefix("q-hand-out/"): archive.read(name).decode(errors="replace") for name in archive.namelist()
        }
    assert {"python/player.py", "go/build.sh", "sh/player.sh", "rules.md", "proto/README.md", WHEEL} <= set(texts)
    readme = texts["README.md"]
    assert f"pip install './{WHEEL}[certify,terminal]'" in readme
    for start in ("python player.py", "bin/q", "fairplay bridge q --lines -- sh player.sh"):
        assert f'fairplay certify q exec:"{start}" --report report' in readme
    for each in ("python/README.md", "go/README.md", "sh/README.md"):
        assert f"'../{WHEEL}[certify,terminal]'" in texts[each]
    assert "`q.extension.one-line`" in texts["rules.md"]
    assert not [name for name, text in texts.items() if str(ROOT) in text or "@" in text.split("\n")[0]]
    settings = Path("spring/class.toml").read_text()
    assert 'file = "bin/q"\ncommand = "{path}/bin/q"' in settings
    assert 'command = "fairplay bridge q --lines -- sh {path}/player.sh"' in settings


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--game", "webset", "--languages", "go"], "there is no player of webset in 'go' to begin with: choose of"),
        (["--game", "chess"], "there is no game 'chess'"),
        (["--game", "q", "--package", "x.zip"], "--package: x.zip is no file that ends with .whl"),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_writes_nothing(
    fairplay: Run, arguments: list[str], sentence: str
) -> None:
    ran = fairplay("class", "new", "spring", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"fairplay: {sentence}")
    assert not Path("spring").exists()
