"""Files that people write are read whatever editor wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terminal.running import Run, done

ROSTER = '[[entrant]]\nname = "a"\nlink = "bot:first"\n[[entrant]]\nname = "b"\nlink = "bot:random"\n'
MARK = "\ufeff"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_byte_order_mark_is_skipped(encoding: str, fairplay: Run, tmp_path: Path) -> None:
    for name, text in (("r.toml", ROSTER), ("s.json", '{"rows": 5}'), ("known", "contract.reachable\n")):
        marked = text if encoding == "utf-16" else MARK + text
        (tmp_path / name).write_text(marked.replace("\n", "\r\n"), encoding)
    done(fairplay("tournament", "fish", "--roster", "r.toml", "--settings", "s.json"))
    done(fairplay("certify", "fish", "exec:false", "--only", "contract.reachable", "--known-failures", "known"))
