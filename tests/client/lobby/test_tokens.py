"""Tokens that are kept between two runs of the client."""

from __future__ import annotations

import stat
from pathlib import Path

from fairplay.client.lobby.tokens import TokenStore

ADDRESS = "host:50050"


def remembered(directory: Path, name: str, token: str) -> None:
    memory = TokenStore(directory)
    memory.open(ADDRESS, name)
    memory.keep(token)
    memory.close()


def recalled(directory: Path | None, name: str, address: str = ADDRESS) -> str:
    memory = TokenStore(directory)
    try:
        return memory.open(address, name)
    finally:
        memory.close()


def test_a_token_is_found_again_under_its_name_and_address(tmp_path: Path) -> None:
    remembered(tmp_path, "ann", "long token")
    remembered(tmp_path, "ann", "t")
    assert recalled(tmp_path, "ann") == "t"
    assert recalled(tmp_path, "bob") == ""
    assert recalled(tmp_path, "ann", "elsewhere:1") == ""


def test_the_token_of_a_stream_is_kept_as_long_as_that_of_its_name_is(tmp_path: Path) -> None:
    memory = TokenStore(tmp_path)
    assert (memory.open(ADDRESS, "ann"), memory.resume_token) == ("", b"")
    memory.keep("t")
    memory.keep_resume_token(b"\x00stream")
    memory.close()
    assert (memory.open(ADDRESS, "ann"), memory.resume_token) == ("t", b"\x00stream")
    memory.keep("t")
    assert memory.resume_token == b"\x00stream"
    memory.keep("u")
    memory.close()
    assert (memory.open(ADDRESS, "ann"), memory.resume_token) == ("u", b"")
    memory.close()


def test_a_file_that_somebody_has_changed_resumes_nothing(tmp_path: Path) -> None:
    remembered(tmp_path, "ann", "t")
    [file] = tmp_path.iterdir()
    file.write_text("t\nnot hexadecimal")
    memory = TokenStore(tmp_path)
    assert (memory.open(ADDRESS, "ann"), memory.resume_token) == ("t", b"")
    memory.close()


def test_a_name_that_another_client_has_in_use_is_not_taken_from_it(tmp_path: Path) -> None:
    remembered(tmp_path, "ann", "t")
    first, second = TokenStore(tmp_path), TokenStore(tmp_path)
    assert first.open(ADDRESS, "ann") == "t"
    assert second.open(ADDRESS, "ann") == ""
    second.keep("stolen")
    first.close()
    assert recalled(tmp_path, "ann") == "t"


def test_only_the_owner_can_read_it_and_odd_names_stay_in_the_directory(tmp_path: Path) -> None:
    remembered(tmp_path / "new", "../../ann", "t")
    [file] = (tmp_path / "new").iterdir()
    assert file.parent == tmp_path / "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_where_nothing_can_be_written_nothing_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for memory in (TokenStore(None), TokenStore(tmp_path / "file")):
        assert memory.open(ADDRESS, "ann") == ""
        memory.keep("t")
        assert memory.open(ADDRESS, "ann") == ""
        memory.close()
