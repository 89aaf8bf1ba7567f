"""What can be said of the players in other languages without building them. `make test-languages` plays with them."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

from fairplay.games.game import find
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.player.handlers import PROTOCOL_REVISION
from tests.docs.pages import ROOT, commands
from tools.language_players import LANGUAGES, Language
from tools.test_languages import GAMES

PROTO = ROOT / "proto"
LINK = re.compile(r"\]\(([^)\s]+)\)")
IMPORT = re.compile(r'^import "(fairplay/.+)";$', re.MULTILINE)
GO, TYPESCRIPT, RUST, JAVA, CPP, *_ = LANGUAGES


def folder(language: Language) -> Path:
    return ROOT / "examples" / language.folder


def build(language: Language) -> str:
    return (folder(language) / "build.sh").read_text()


def sources(language: Language) -> str:
    """What people wrote of an example; what was built there does not count."""
    ending, written = {
        "go": (".go", ("fish", "q", "link")),
        "typescript": (".ts", ("src",)),
        "rust": (".rs", ("src", "src/bin/fish", "src/bin/q")),
        "java": (".java", ("src/main/java/com/example/players",)),
        "cpp": (".*", ("src",)),
    }[language.folder]
    files = (path for name in written for path in sorted((folder(language) / name).glob(f"*{ending}")))
    return "\n".join(path.read_text() for path in files)


# --- from the protos ---


def test_protoc_is_given_files_that_exist_and_all_that_they_import() -> None:
    for language in LANGUAGES:
        listed = {"rust": "build.rs", "java": "pom.xml", "cpp": "CMakeLists.txt"}.get(language.folder, "build.sh")
        given = set(re.findall(r"fairplay/[\w/]+\.proto", (folder(language) / listed).read_text()))
        assert {f"fairplay/{game}/v1/{game}_player.proto" for game in GAMES} <= given
        for name in given:
            imported = set(IMPORT.findall((PROTO / name).read_text()))
            assert imported <= given or language is RUST  # whose generator takes what is imported by itself


def test_the_page_shows_the_build_as_it_is() -> None:
    for language in LANGUAGES:
        shown = build(language).split('cd "$(dirname "$0")"\n\n')[1]
        assert f"```sh\n{shown}```\n" in (folder(language) / "README.md").read_text()


def test_the_page_builds_plays_dials_in_and_certifies() -> None:
    for language in LANGUAGES:
        text = (folder(language) / "README.md").read_text()
        typed = [command.text for command in commands(text)]
        assert typed[0] == f"sh examples/{language.folder}/build.sh"
        for wanted in (
            "--listen",
            "grpc://",
            "exec:",
            "--serve",
            "--connect",
            "fairplay tournament",
            "fairplay certify",
        ):
            assert any(wanted in command for command in typed), wanted
        for link in LINK.findall(text):
            assert (folder(language) / link).exists(), link


# --- the players ---


def test_every_method_of_the_services_is_there() -> None:
    for language in LANGUAGES:
        written = sources(language)
        for method in (*PLAYER_METHODS.values(), *(method for game in GAMES for method in find(game).methods)):
            name = method.name
            lowered = name[0].lower() + name[1:]
            snake = re.sub("(?=[A-Z])", "_", lowered).lower()
            pattern = {
                "go": rf"\) {name}\(",
                "typescript": rf"\b{lowered}: \(",
                "rust": rf"async fn {snake}\(",
                "java": rf"public void {lowered}\(",
                "cpp": rf"Status {name}\(",
            }[language.folder]
            assert re.search(pattern, written), (language.folder, name)


def test_a_player_goes_where_its_options_or_its_environment_say() -> None:
    for language in LANGUAGES:
        written = sources(language)
        for name in ("LISTEN", "CONNECT", "NAME", "TOKEN", "CA", "SECRET"):
            assert f"FAIRPLAY_{name}" in written, language.folder
        for option in ("listen", "connect", "name", "token", "serve", "tls-cert", "tls-key"):
            assert re.search(rf'"(--)?{option}"|^\s+{option}: ', written, re.MULTILINE), (language.folder, option)


def test_a_player_names_the_revision_that_it_was_written_for() -> None:
    for language in LANGUAGES:
        stated = re.findall(r"[rR]evision(?:: +|\()(\d+)", sources(language))
        assert set(stated) == {str(PROTOCOL_REVISION)}, language.folder


def test_what_is_built_is_not_committed() -> None:
    for language in LANGUAGES:
        ignored = (ROOT / ".gitignore").read_text().splitlines()
        built = {
            "go": ("bin", "gen"),
            "typescript": ("dist", "node_modules", "src/gen"),
            "rust": ("target",),
            "java": ("target",),
            "cpp": ("build",),
        }[language.folder]
        assert {f"/examples/{language.folder}/{name}/" for name in built} <= set(ignored), language.folder


# --- what they are built with ---


def test_the_lockfile_of_npm_names_no_registry() -> None:
    text = (folder(TYPESCRIPT) / "package-lock.json").read_text()
    assert '"resolved"' not in text
    packages = json.loads(text)["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)


def test_the_oldest_versions_are_those_that_the_examples_state() -> None:
    go = re.search(r"^go (\d+)\.(\d+)", (folder(GO) / "go.mod").read_text(), re.MULTILINE)
    assert go is not None
    assert (int(go[1]), int(go[2])) == GO.oldest
    package = json.loads((folder(TYPESCRIPT) / "package.json").read_text())
    assert package["engines"]["node"] == f">={TYPESCRIPT.oldest[0]}"
    cargo = tomllib.loads((folder(RUST) / "Cargo.toml").read_text())
    assert cargo["package"]["rust-version"] == ".".join(map(str, RUST.oldest))
    pom = (folder(JAVA) / "pom.xml").read_text()
    assert f"<maven.compiler.release>{JAVA.oldest[0]}</maven.compiler.release>" in pom


def test_every_dependency_is_on_its_page() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    package = json.loads((folder(TYPESCRIPT) / "package.json").read_text())
    modules = re.findall(r"^\t([\w./-]+) v", (folder(GO) / "go.mod").read_text(), re.MULTILINE)
    cargo = tomllib.loads((folder(RUST) / "Cargo.toml").read_text())
    crates = (*cargo["dependencies"], *cargo["build-dependencies"])
    pom = (folder(JAVA) / "pom.xml").read_text()
    artifacts = [name for name in re.findall(r"<artifactId>(.+)</artifactId>", pom) if name != "players"]
    assert modules
    assert artifacts
    for name in (*package["dependencies"], *package["devDependencies"], *modules, *crates, *artifacts):
        assert name in page, name


# --- the tool ---


def test_the_commands_of_each_page_certify_the_players_of_all_games_one_dialling_in_and_one_serving() -> None:
    for language in LANGUAGES:
        page = (folder(language) / "README.md").read_text()
        certified = [shlex.split(line)[3:] for line in page.splitlines() if line.startswith("$ fairplay certify ")]
        games = iter(GAMES)
        assert certified == [
            [game := next(games), f"exec:{language.player(game)}"],
            [game := next(games), f"exec:{language.player(game)} --serve"],
        ]
