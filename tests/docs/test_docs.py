"""What the pages say is there: links, rule ids, reasons, options, names of the contract, packages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import grpc
import typer
from google.protobuf.descriptor import FileDescriptor
from typer.core import TyperGroup

from fairplay.conformance.cases import cases
from fairplay.conformance.requirements import requirements
from fairplay.conformance.servers.cases import CASES
from fairplay.conformance.zoo.registry import common_mutants, find_mutants, own_mutants
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered
from fairplay.games.kit.knockout import allocate
from fairplay.games.machine import drive
from fairplay.games.steps import Call
from fairplay.player.handlers import snake_case
from fairplay.server.net.errors import STATUS
from fairplay.terminal.commands.app import app
from fairplay.v1 import (
    access_pb2,
    certification_pb2,
    connection_pb2,
    error_reason_pb2,
    lobby_pb2,
    manager_pb2,
    player_pb2,
    record_pb2,
    referee_pb2,
)
from tests.docs.pages import PAGES, ROOT, blocks, name_of
from tools.docs_pages import PAGES as MADE_PAGES
from tools.docs_reference import PAGES as REFERENCE
from tools.docs_reference import read_sources, write_pages
from tools.language_players import LANGUAGES

SHORTENED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CAPITALS = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|^[A-Z]+$")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z_-]+")
FULL_NAME = re.compile(r"fairplay\.\w+\.v1\.[A-Z]\w+|fairplay\.v1\.[A-Z]\w+")
PATH = re.compile(r"/(fairplay\.[\w.]+)/(\w+)")
OTHERS_FORMS = ("add-a-game", "bring-your-own-tests")
"""Pages that show words which are not of the contract."""
MADE = ("rules",)
"""Pages that are made from the code."""
PLACEHOLDERS = {"LICENSE", "DIR", "NAME", "COMMAND"}
VARIABLES = {"GRPC_EXPERIMENTS", "OMP_NUM_THREADS", "PATH", "LANG", "LANGUAGE", "TZ", "LC_"}
"""Variables of the environment that are not ours."""
OPTIONS_PAGES = (
    "README.md",
    "reference_player/README.md",
    "docs/tournaments.md",
    "docs/operate.md",
    "docs/security.md",
    "docs/records.md",
    "docs/lobby.md",
)


def prose(path: Path) -> str:
    """The page without its fenced blocks."""
    text = path.read_text()
    for block in blocks(text):
        text = text.replace(block.text, "")
    return text


def code_words(path: Path) -> Iterator[str]:
    """What stands between backticks in the prose of a page."""
    return (found[1] for found in SHORTENED.finditer(prose(path)))


def test_lines_of_prose_end_at_120_characters() -> None:
    for path in [path for path in PAGES if path.stem not in MADE]:
        lines = (line for line in prose(path).splitlines() if not line.startswith(("|", "    ")))
        assert [line for line in lines if len(line) > 120] == [], path


# --- links ---


def anchor(heading: str) -> str:
    """What a heading is linked by."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_link_leads_to_a_file_of_the_tree_and_to_a_heading_there() -> None:
    for path in PAGES:
        for link in (found[1] for found in LINK.finditer(prose(path))):
            if link.startswith("https://"):
                continue
            file, _, fragment = link.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.exists(), link
            assert target.is_relative_to(ROOT), link
            if fragment:
                assert fragment in {anchor(found[1]) for found in HEADING.finditer(target.read_text())}, link


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / found[1]).resolve() for found in LINK.finditer(index.read_text())}
    assert {path for path in PAGES if path != index} <= listed


def test_every_path_of_the_page_on_architecture_is_there() -> None:
    roots = [path for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"]
    files = ["/" + path.relative_to(ROOT).as_posix() for root in roots for path in (root, *root.rglob("*"))]
    named = [word for word in code_words(ROOT / "ARCHITECTURE.md") if re.fullmatch(r"[\w/]+(\.py|/)", word)]
    named = [word for word in named if "GAME" not in word]
    assert len(named) > 50
    assert [word for word in named if not any(file.endswith("/" + word.rstrip("/")) for file in files)] == []


README = (ROOT / "README.md").read_text()


def test_the_first_screen_says_what_there_is_to_type_and_where_to_go() -> None:
    screen = README.partition("\n## ")[0]
    assert screen.count("\n") <= 45
    for wanted in ("make demo", "make test", "published yet", "Ranking", "npm", "docs/README.md"):
        assert wanted in screen
    for wanted in ("fairplay protos", "fairplay serve", "fairplay certify"):
        assert wanted in README


def test_the_service_of_the_readme_is_the_one_of_fish() -> None:
    [shown] = [block.text for block in blocks(README) if block.language == "proto"]
    whole = (ROOT / "proto" / "fairplay" / "fish" / "v1" / "fish_player.proto").read_text()
    pieces = shown.replace(";\n\n", ";\n").splitlines()
    assert re.findall(r"rpc .*", shown) == re.findall(r"rpc .*", whole)
    assert all(piece in whole for piece in pieces)


def test_the_figures_of_the_readme_are_counted() -> None:
    games = [find(name) for name in ("bazaar", "eriantys", "fish", "q", "webset")]
    counts = [len(cases(game)) for game in games]
    for number, words in (
        (f"{len(games)}: {', '.join(game.title for game in games[:-1])} and {games[-1].title}", "games"),
        (f"[{sum(len(game.rules) for game in games)}]", "rules"),
        (f"{len(LANGUAGES) + 1}: ", "languages"),
        (f"{min(counts)} to {max(counts)} |", "cases for a player"),
        (f"{len(CASES)} |", "cases for a server"),
        (f"[{sum(len(find_mutants(game)) for game in games):,}]", "broken players"),
    ):
        assert re.search(rf"^\| {words}[^|]*\| {re.escape(number)}", README, re.MULTILINE), (words, number)


def test_the_counts_of_the_zoo_are_counted() -> None:
    page = (ROOT / "docs" / "zoo.md").read_text()
    for game in map(find, ("bazaar", "eriantys", "fish", "q", "webset")):
        assert f"| {game.title} | {len(common_mutants(game))} | {len(own_mutants(game))} |\n" in page


# --- words of the contract ---


def files() -> Iterator[FileDescriptor]:
    """The files of the contract."""
    modules = (
        access_pb2,
        certification_pb2,
        connection_pb2,
        error_reason_pb2,
        lobby_pb2,
        manager_pb2,
        player_pb2,
        record_pb2,
        referee_pb2,
    )
    waiting: list[Any] = [module.DESCRIPTOR for module in modules]
    waiting += [find(name).state_type.DESCRIPTOR.file for name in registered()]
    seen: dict[str, FileDescriptor] = {}
    while waiting:
        file = waiting.pop()
        if file.name not in seen:
            seen[file.name] = file
            waiting += file.dependencies
    return iter(seen.values())


@cache
def capitals() -> frozenset[str]:
    """Values of enums, whole and without the name of their enum; status codes; what the environment may hold."""
    known = {code.name for code in grpc.StatusCode} | PLACEHOLDERS | VARIABLES
    for file in files():
        for enum in file.enum_types_by_name.values():
            prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enum.name).upper() + "_"
            known |= {name for value in enum.values_by_name for name in (value, value.removeprefix(prefix))}
    variables = ("SANDBOX", "LISTEN", "CONNECT", "NAME", "TOKEN", "SECRET", "CA", "CERT", "KEY")
    return frozenset(known | {f"FAIRPLAY_{name}" for name in variables})


def test_every_word_in_capitals_is_a_reason_a_value_or_a_status() -> None:
    for path in [path for path in PAGES if path.stem not in OTHERS_FORMS]:
        words = {found for word in code_words(path) for found in CAPITALS.findall(word)}
        assert words <= capitals(), path


def test_every_id_of_a_rule_or_a_probe_is_one() -> None:
    games = "|".join(registered())
    known = {rule for name in registered() for rule in find(name).rules}
    known |= {probe.id for name in registered() for probe in find_conformance(name).probes}
    for path in PAGES:
        for word in code_words(path):
            if re.fullmatch(rf"(?:{games})\.[a-z-]+\.[a-z-]+", word):
                assert word in known, path


def test_every_name_of_the_contract_exists() -> None:
    names = {
        thing.full_name
        for file in files()
        for things in (file.message_types_by_name, file.enum_types_by_name, file.services_by_name)
        for thing in things.values()
    } | {find(name).service for name in registered()}
    methods = {method.path for name in registered() for method in find(name).methods}
    for file in files():
        for service in file.services_by_name.values():
            methods |= {f"/{service.full_name}/{method.name}" for method in service.methods}
    for path in PAGES:
        assert set(FULL_NAME.findall(path.read_text())) <= names, path
        for service_name, method_name in PATH.findall(path.read_text()):
            assert f"/{service_name}/{method_name}" in methods, path


def test_the_layout_of_the_protos_names_every_file() -> None:
    folder = ROOT / "proto"
    shown = re.findall(r"^\| `([\w/]+\.proto)` \|", (folder / "README.md").read_text(), re.MULTILINE)
    assert sorted(shown) == sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.proto"))


def test_the_reasons_of_the_specification_are_all_there_are_with_their_status() -> None:
    text = (ROOT / "proto" / "SPECIFICATION.md").read_text()
    reported: dict[str, str] = {}
    for status, reasons in re.findall(r"^\| `([A-Z_]+)` \| ((?:`[A-Z_]+`(?:, )?)+) \|", text, re.MULTILINE):
        reported |= dict.fromkeys(re.findall(r"[A-Z_]+", reasons), status)
    assert reported == {reason: code.name for reason, code in STATUS.items()}


# --- the command line ---


@cache
def options() -> frozenset[str]:
    found = {"--help"}
    waiting: list[Any] = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        found |= {option for parameter in command.params for option in parameter.opts}
        if isinstance(command, TyperGroup):
            context = typer.Context(command)
            waiting += [command.get_command(context, name) for name in command.list_commands(context)]
    return frozenset(found)


def test_every_option_exists() -> None:
    for name in OPTIONS_PAGES:
        named = {option for word in code_words(ROOT / name) for option in OPTION.findall(word)}
        assert named
        assert named <= options(), name


# --- pages that follow from something ---


def test_pages_say_what_games_and_files_say() -> None:
    for path, made in MADE_PAGES.items():
        assert path.read_text() == made(path.read_text()), "run: python -m tools.docs_pages"


def test_the_reference_is_fresh_and_linked() -> None:
    pages = write_pages(read_sources())
    assert {path.name: path.read_text() for path in REFERENCE.glob("*.md")} == pages, "run: make reference"
    assert {found[1] for found in LINK.finditer(pages["README.md"])} == pages.keys() - {"README.md"}
    assert "(reference/README.md)" in (ROOT / "docs" / "README.md").read_text()


def test_every_requirement_that_pages_and_protos_name_exists() -> None:
    families = "|".join({each.partition("-")[0] for each in requirements()})
    named = re.compile(rf"\b(?:{families})-[0-9]+\b")
    for path in [*PAGES, *(ROOT / "proto").rglob("*.proto")]:
        assert set(named.findall(path.read_text())) <= requirements().keys(), path


def test_the_folder_of_protos_suffices_without_the_repository() -> None:
    folder = ROOT / "proto"
    for page in folder.glob("*.md"):
        text = page.read_text()
        links = (found[1].partition("#")[0] for found in LINK.finditer(text))
        assert all(
            (folder / link).resolve().is_relative_to(folder) for link in links if not link.startswith("https://")
        )
        assert all(word not in text for word in ("this repository", "`make "))
    assert (folder / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_page_of_dependencies_names_every_package() -> None:
    project: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(each for group in project["optional-dependencies"].values() for each in group),
    ]
    wanted += (ROOT / "tools" / "requirements.txt").read_text().splitlines()
    rows = re.findall(r"^\| ([\w.-]+) \|", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    for requirement in wanted:
        if requirement and not requirement.startswith(("#", "fairplay-protocol[")):
            found = re.match(r"[\w.-]+", requirement)
            assert found is not None, requirement
            assert found[0] in rows


def test_the_table_of_knockout_is_what_is_dealt() -> None:
    text = (ROOT / "proto" / "SPECIFICATION.md").read_text()
    rows = re.search(r"^    players (.+)\n    games (.+)$", text, re.MULTILINE)
    assert rows is not None
    games = [[int(size) for size in game.split("+")] for game in rows[2].split()]
    assert games == [allocate(int(count), range(2, 5)) for count in rows[1].split()]


# --- code of the pages ---


def test_the_code_of_the_first_player_is_the_one_of_the_example() -> None:
    example = (ROOT / "examples" / "python" / "my_player.py").read_text()
    shown = [block.text for block in blocks((ROOT / "reference_player" / "README.md").read_text())]
    pieces = [text for text in shown if text.startswith(("class", "STEPS", "def", "if __name__"))]
    assert len(pieces) == 4
    for piece in pieces:
        assert piece in example


def test_the_first_player_wins_most_games_against_random() -> None:
    fish, names = find("fish"), ["me", "random"]
    source = (ROOT / "examples" / "python" / "my_player.py").read_text()
    module: dict[str, Any] = {"__name__": "my_player"}
    exec(source, module)
    settings = fish.full_settings(fish.tournament_settings)

    def won(seed: int) -> bool:
        players = [module["MyPlayer"](), fish.player(f"random:seed={seed}")]

        def answer(call: Call) -> Any:
            reply = getattr(players[call.seat], snake_case(call.method.name))(call.request)
            return call.method.response() if reply is None else reply

        outcome = drive(fish.play("g", settings, names, Random(seed), None), answer)
        assert sum(map(len, outcome.ranking)) == 2, "somebody was eliminated"
        return [seat for seat, _ in outcome.ranking[0]] == [0]

    assert sum(map(won, range(20))) >= 17


def test_the_page_about_a_game_of_your_own_shows_every_file_of_it() -> None:
    shown = set(re.findall(r"^<!-- code: (\S+) -->$", (ROOT / "docs" / "add-a-game.md").read_text(), re.MULTILINE))
    package = ROOT / "examples" / "nim"
    files = [package / "pyproject.toml", *package.glob("fairplay_nim/*.py"), *package.rglob("*.proto")]
    assert shown == {name_of(file) for file in files}
