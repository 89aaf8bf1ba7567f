"""`fairplay certificate badge` and `list`: what certificates are shown for, and which are not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairplay.certificate import Verdict, frozen, sealed
from fairplay.certificate.signing import new_key, public_text, signed
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.run.plan import limits_of
from fairplay.conformance.run.report import Report, Run, certificate
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.v1.player_pb2 import PlayerDescription
from tests.terminal.running import Run as Typed
from tests.terminal.running import done

EVIL = "<script>alert(1)</script>\x1b[2J&\"'"


@pytest.fixture(scope="module")
def content() -> Mapping[str, Any]:
    """The certificate of a player that meets every MUST of Fish."""
    judged = [Judged(case_id, Level.MUST, Verdict.PASS, "", 0.0) for case_id in sorted(frozen("fish", 1) or ())]
    run = Run("fish", "bot", 1, limits_of(find("fish"), None, None), Level.MUST)
    report = Report(run, PlayerDescription(display_name="first"), judged, {}, datetime.now(UTC), 1.0, True)
    found: Mapping[str, Any] = json.loads(certificate(report))
    return found


@pytest.fixture
def key(tmp_path: Path) -> Ed25519PrivateKey:
    made = new_key(tmp_path / "key.pem")
    (tmp_path / "keys.txt").write_text(f"{public_text(made)} Prof. {EVIL[:8]}\n")
    return made


def changed(content: Mapping[str, Any], **values: Any) -> bytes:
    return sealed({name: value for name, value in {**content, **values}.items() if name != "digest"})


def test_a_badge_says_for_what_and_stays_a_picture(fairplay: Typed, tmp_path: Path, content: Mapping[str, Any]) -> None:
    player = {"name": EVIL, "version": "7", "services": []}
    (tmp_path / "c.json").write_bytes(changed(content, player=player, profile="standard"))
    ran = fairplay("certificate", "badge", "c.json")
    assert (ran.code, ran.out) == (1, "")
    assert "it is for a profile alone: --profile standard accepts that" in ran.err
    picture = Xml.fromstring(done(fairplay("certificate", "badge", "c.json", "--profile", "standard")))
    texts = [each.text for each in picture.iter() if each.tag.endswith("}text")]
    assert texts == ["Fairplay Fish", "certified, revision 1, standard"]
    assert {each.tag.rpartition("}")[2] for each in picture.iter()} == {"svg", "title", "rect", "path", "g", "text"}
    assert picture[0].text is not None
    assert picture[0].text.startswith("<script>alert(1)</script>\u241b[2J&\"' 7: Fairplay Fish, certified")
    done(fairplay("certificate", "badge", "c.json", "--any-profile", "--output", "badge.json"))
    assert json.loads((tmp_path / "badge.json").read_text()) == {
        "schemaVersion": 1,
        "label": "Fairplay Fish",
        "message": "certified, revision 1, standard",
        "color": "brightgreen",
    }


def test_what_is_not_accepted_has_no_badge(
    fairplay: Typed, tmp_path: Path, content: Mapping[str, Any], key: Ed25519PrivateKey
) -> None:
    untried = {**content, "cases": content["cases"][:5], "summary": {"certified": True, "counts": {}}}
    for data, options, code, sentence in [
        (changed(content), ("--trusted", "keys.txt"), 1, "there is no badge for it. "),
        (changed(untried), (), 1, "says that the player is certified, but"),
        (changed(content).replace(b"first", b"worst"), (), 1, "its digest does not fit"),
        (changed(content), ("--nonce", "cup"), 1, "it was made without a nonce"),
        (signed(changed(content), key), ("--trusted", "nowhere"), 2, "nowhere cannot be read"),
    ]:
        (tmp_path / "c.json").write_bytes(data)
        ran = fairplay("certificate", "badge", "c.json", *options, "--output", "badge.svg")
        assert (ran.code, ran.out) == (code, "")
        assert sentence in ran.err
    assert fairplay("certificate", "badge", "missing.json").code == 2
    ran = fairplay("certificate", "badge", "c.json", "--output", "badge.png")
    assert (ran.code, "badge.png must end with .svg or .json" in ran.err) == (2, True)
    assert not (tmp_path / "badge.svg").exists()


def test_a_list_names_who_is_certified_for_what_and_every_file_that_is_refused(
    fairplay: Typed, tmp_path: Path, content: Mapping[str, Any], key: Ed25519PrivateKey
) -> None:
    command = ("certificate", "list", "all", "--trusted", "keys.txt", "--output", "site")
    (tmp_path / "all" / "ann.report").mkdir(parents=True)
    (tmp_path / "roster.toml").write_text('[[entrant]]\nname = "ann"\nlink = "exec:./ann -x"\nlanguage = "Ada"\n')
    assert "all holds no certificates" in fairplay(*command).err
    evil = {"name": EVIL, "version": "2", "services": []}
    program = [{"file": "player.py", "sha256": ""}]
    limits = {**content["limits_ms"], "decision": 500}
    ann = changed(content, nonce="a b", limits_ms=limits)
    (tmp_path / "all" / "ann.report" / "certificate.json").write_bytes(signed(ann, key))
    old = signed(changed(content, player=evil, suite_version="0.0.9", program=program, profile="standard"), key)
    for name, data in {
        "old": old,
        "again": old,
        "unsigned": changed(content),
        "damaged": ann[:-9],
        "stranger": signed(ann, Ed25519PrivateKey.generate()),
        "longer": signed(changed(content, limits_ms={**limits, "decision": 9000}), key),
        "index": b'{"game": "fish", "rows": []}',
        "future": signed(changed(content, protocol_revision=99), key),
    }.items():
        (tmp_path / "all" / f"{name}.json").write_bytes(data)
    said = done(fairplay(*command, "--roster", "roster.toml"))
    assert "2 certificates listed, 5 refused: site/index.html" in said
    found = json.loads((tmp_path / "site" / "certified.json").read_text())
    refused = {each["file"]: each["reason"] for each in found["refused"]}
    assert refused.keys() == {f"{name}.json" for name in ("unsigned", "damaged", "stranger", "longer", "future")}
    assert refused["unsigned.json"] == "nobody has signed it"
    assert "is not among those that you trust" in refused["stranger.json"]
    assert "--any-limits accepts that" in refused["longer.json"]
    assert "in revision 99 are not known here: a newer Fairplay, or the package of" in refused["future.json"]
    first, outdated = found["certified"]
    again = "fairplay certify fish 'exec:./ann -x' --seed 1 --nonce 'a b' --limit 0.5s"
    assert (first["player"], first["language"], first["again"], first["outdated"]) == ("first", "Ada", again, "")
    assert first["limits"] == ["decision 0.5 s instead of 1 s"]
    assert (outdated["player"], outdated["version"], outdated["language"]) == (EVIL, "2", "Python")
    assert (outdated["signer"], outdated["seed"], outdated["profile"]) == ("Prof. <script>", "1", "standard")
    assert re.fullmatch(r"the suite is [\d.]+ now", outdated["outdated"])
    assert outdated["again"] == "fairplay certify fish bot:STRATEGY --seed 1 --profile standard"
    page = (tmp_path / "site" / "index.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page
    assert page.count('<tr class="out">') == 1
    assert "stranger.json" in page
    for row in found["certified"]:
        file, picture = tmp_path / "site" / row["certificate"], Path(row["certificate"]).with_suffix(".svg")
        assert f'href="{row["certificate"]}"' in page
        assert f'href="{picture}"' in page
        done(fairplay("certificate", "verify", str(file), "--trusted", "keys.txt", "--any-profile"))
        Xml.parse(tmp_path / "site" / picture)
    (tmp_path / "all" / "old.json").unlink()
    (tmp_path / "all" / "again.json").unlink()
    done(fairplay(*command))
    assert len(list((tmp_path / "site" / "certificates").iterdir())) == 2


def test_what_a_list_needs_is_said(fairplay: Typed, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{}")
    assert fairplay("certificate", "list", ".", "--output", "site").code == 2
    ran = fairplay("certificate", "list", ".", "--trusted", "keys.txt", "--output", "site")
    assert (ran.code, ran.err) == (2, "fairplay: keys.txt cannot be read: No such file or directory\n")


def test_the_certificates_of_a_roster_are_signed_and_listed(fairplay: Typed, tmp_path: Path) -> None:
    (tmp_path / "roster.toml").write_text('[[entrant]]\nname = "ann"\nlink = "bot:first"\n')
    (tmp_path / "keys.txt").write_text(done(fairplay("certificate", "keys", "key.pem", "--name", "me")))
    some = ("certify", "fish", "--roster", "roster.toml", "--only", "contract.reachable", "--sign", "key.pem")
    ran = fairplay(*some)
    assert (ran.code, "--sign is for certificates that are written: give --report DIR, too" in ran.err) == (2, True)
    done(fairplay(*some, "--report", "all"))
    ran = fairplay("certificate", "list", "all", "--trusted", "keys.txt", "--output", "site")
    assert (ran.code, "ann.report/certificate.json: cases are missing" in ran.out) == (1, True)  # it lists nobody
