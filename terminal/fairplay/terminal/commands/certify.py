"""Commands that judge: certify, certificate, certify-server, and check for test data."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, make_dataclass
from pathlib import Path
from typing import Annotated, Any

from fairplay.client.errors import FailedError
from fairplay.conformance.run.options import OPTIONS, is_duration, option_name, option_text
from fairplay.terminal.commands.options import DONE, argument, command, group, option
from fairplay.terminal.commands.parameters import Authorities, GameName, PlainJson, Ship, WhenLost

Summary = Annotated[Path | None, option("FILE.md", "What a job's page is to show, in Markdown.")]
Annotations = Annotated[bool, option("", "Print what is to be mended as annotations of a job of GitHub: ::error ...")]

certificate = group(
    """Look into certificates of players.

    Example:

    \b
      fairplay certificate verify certificate.json"""
)


def _suite_field(described: Field[Any]) -> tuple[str, Any, Any]:
    """Return the name, the type and the field of an option of the suite, as it is typed."""
    default = described.default
    if is_duration(described) and default is not None:
        default = option_text(described, default)
    kind = type(default) if isinstance(default, int) else str if default is not None else str | None
    limits = {"min": described.metadata["min"], "max": described.metadata["max"]}
    given = option(described.metadata["metavar"], described.metadata["help"], **limits)
    return option_name(described).replace("-", "_"), Annotated[kind, given], field(default=default)


SUITE: Any = make_dataclass("SuiteOptions", map(_suite_field, OPTIONS), frozen=True, kw_only=True)
"""The options of the suite, as they are typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyOptions:
    """Who is certified, where, and what is kept."""

    game: GameName
    player: Annotated[
        str,
        argument(
            "SPEC",
            "The player: grpc://HOST:PORT (it serves; grpcs:// over TLS), dial-in:NAME (it dials --listen), "
            "exec:COMMAND (started here) or bot:STRATEGY (built in). With --roster: names of it, e.g. ann,bob.",
        ),
    ] = ""
    roster: Annotated[Path | None, option("FILE", "Certify every player of a roster: see fairplay roster.")] = None
    at_once: Annotated[
        int | None,
        option(
            "N",
            "With --roster: players at a time. Default: half the cores; with --jobs or --cluster, all of them.",
            min=1,
            max=1024,
        ),
    ] = None
    cluster: Annotated[
        str | None,
        option("ADDRESS", "With --roster: certify on a cluster of Ray, HOST:PORT; auto: the one of this machine."),
    ] = None
    when_lost: WhenLost = "wait"
    ship: Ship = False
    server: Annotated[
        str,
        option("HOST:PORT", "Have a server certify a player that dials in there: dial-in:NAME; grpcs:// over TLS."),
    ] = ""
    published: Annotated[bool, option("", "With --server: let everybody see the report there.")] = False
    list_: Annotated[bool, option("", "Only show the cases.")] = False
    report: Annotated[Path | None, option("DIR", "Write a page, the certificate and the evidence here.")] = None
    json: Annotated[str | None, option("[FILE]", "The certificate, in a file or (-) printed.")] = None
    junit: Annotated[Path | None, option("FILE", "Verdicts as JUnit XML.")] = None
    summary: Summary = None
    annotations: Annotations = False
    gradescope: Annotated[Path | None, option("FILE", "Verdicts as the results.json of an autograder.")] = None
    events: Annotated[Path | None, option("FILE", "What happens, as it happens, in lines of JSON.")] = None
    sign: Annotated[Path | None, option("KEY", "Sign the certificate: see fairplay certificate keys.")] = None
    suite: Annotated[Any, SUITE]


@command
def certify(options: CertifyOptions) -> int:
    """Certify a player: does it keep the rules, never fail and always answer in time?

    Exit code 0: every MUST is met, with --roster by every player. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify fish exec:./my-player --report out/
      fairplay certify fish grpc://localhost:50051 --level must --junit junit.xml
      fairplay certify fish --roster roster.toml --report out/
      fairplay certify fish --roster roster.toml --report out/ --jobs 4
      fairplay certify fish a,b --roster roster.toml --report out/
      fairplay certify fish dial-in:ann --server games.example.org:50050 --report out/
      fairplay certify fish --list
    """
    from fairplay.terminal.certify.run import certify_one, check_together, show_cases

    if options.list_:
        show_cases(options)
        return DONE
    if options.server:
        from fairplay.terminal.certify.remote import certify_at_server

        return certify_at_server(options)
    check_together(options)
    if options.roster is None:
        return certify_one(options)
    from fairplay.terminal.certify.roster import certify_roster

    return certify_roster(options)


Keys = option("KEYS", "Accept only what one of the keys in this file has signed.")
AnyLimits = Annotated[bool, option("", "Accept longer time limits than those of the game.")]
CertificateFile = Annotated[Path, argument("FILE", "A certificate that fairplay certify wrote.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What a certificate must be to be accepted."""

    nonce: Annotated[str, option("TEXT", "The word with which the player was to be certified.")] = ""
    profile: Annotated[str, option("NAME", "Accept a certificate for the games of this profile alone.")] = ""
    any_profile: Annotated[bool, option("", "Accept a certificate for the games of whatever profile.")] = False
    any_limits: AnyLimits = False
    trusted: Annotated[Path | None, Keys] = None
    program: Annotated[Path | None, option("FILE", "The program that must be the one certified.")] = None


@certificate.command()
@command
def verify(file: CertificateFile, demands: Demands) -> int:
    """Check that a certificate is whole, that what it says follows from its cases, and who has signed it.

    Exit code 0: it is, and certifies its player. 1: it is damaged, or does not certify. 2: there is no such file.

    Example:

    \b
      fairplay certificate verify out/certificate.json
      fairplay certificate verify out/certificate.json --trusted keys.txt --program ./my-player
    """
    from fairplay.terminal.certify.verify import verify_certificate

    return verify_certificate(file, demands)


@certificate.command()
@command
def badge(
    file: CertificateFile,
    demands: Demands,
    output: Annotated[str, option("FILE", "badge.svg, or badge.json for shields.io. Default: printed as SVG.")] = "-",
) -> None:
    """Draw a badge that says what a player is certified for. What verify would not accept has none.

    Examples:

    \b
      fairplay certificate badge out/certificate.json --output badge.svg
      fairplay certificate badge out/certificate.json --output badge.json --trusted keys.txt
    """
    from fairplay.terminal.certify.badge import write_badge

    write_badge(file, demands, output)


@certificate.command("list")
@command
def list_certificates(
    folder: Annotated[
        Path, argument("DIR", "Certificates, *.json, and folders in which certify --report has written one.")
    ],
    trusted: Annotated[Path, Keys],
    output: Annotated[Path, option("DIR", "Where the page goes, with a copy of each certificate.")],
    roster: Annotated[
        Path | None, option("FILE", "The players' links and languages, by the names of files or folders.")
    ] = None,
    any_limits: AnyLimits = False,
) -> int:
    """Make a page of who is certified for what, of certificates that are verified one by one.

    What is not accepted is named with the reason, on the page, too. A list of nobody ends with exit code 1.

    Examples:

    \b
      fairplay certificate list certificates/ --trusted keys.txt --output site/
      fairplay certificate list all/ --trusted keys.txt --roster roster.toml --output site/
    """
    from fairplay.terminal.commands.extras import missing_module

    if (sentence := missing_module("jinja2", "fairplay certificate list", "server")) is not None:
        raise FailedError(sentence)
    from fairplay.terminal.certify.certified import list_certified

    return list_certified(folder, trusted, output, roster, any_limits=any_limits)


@certificate.command()
@command
def keys(
    file: Annotated[Path, argument("FILE", "A new file for the key; keep it to yourself.")],
    name: Annotated[str, option("TEXT", "Your name, for those who trust the key.")] = "",
) -> None:
    """Make a key to sign certificates with, and print the line with which others trust it.

    If the file holds a key already, its line is printed again.

    Examples:

    \b
      fairplay certificate keys key.pem --name "Prof. Example" > keys.txt
      fairplay certify fish exec:./my-player --json certificate.json --sign key.pem
    """
    from fairplay.terminal.certify.verify import show_key

    show_key(file, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyServerOptions:
    """Which server is judged, by which cases, and what is kept."""

    address: Annotated[str, argument("HOST:PORT", "The server; grpcs:// over TLS.")] = ""
    ca: Authorities = None
    list_: Annotated[bool, option("", "Only show the cases.")] = False
    level: Annotated[str, option("LEVEL", "must, should or all.")] = "all"
    only: Annotated[str, option("PATTERN", "Cases by id, e.g. blame, 'watch.*' or a,b; * is anything.")] = ""
    known_failures: Annotated[
        str, option("FILE", "Ids of cases that are known to fail: if no other fails, the exit code is 0.")
    ] = ""
    players_host: Annotated[str, option("HOST", "The address of this machine at which the server reaches players.")] = (
        "127.0.0.1"
    )
    fail_fast: Annotated[bool, option("", "Stop at the first MUST that is not met.")] = False
    insecure: Annotated[bool, option("", "Let --players-host be reached by other machines, without TLS.")] = False
    report: Annotated[Path | None, option("DIR", "Write a page, the results and the evidence here.")] = None
    json: Annotated[str | None, option("[FILE]", "The results, in a file or (-) printed.")] = None
    junit: Annotated[Path | None, option("FILE", "Verdicts as JUnit XML.")] = None
    summary: Summary = None
    annotations: Annotations = False


@command
def certify_server(options: CertifyServerOptions) -> int:
    """Certify a server: does it ask, blame, wait, show and refuse as the contract says?

    Exit code 0: every MUST is met. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify-server localhost:50050
      fairplay certify-server localhost:50050 --only blame --report out/
      fairplay certify-server --list
    """
    from fairplay.terminal.certify.run import certify_server as judge_server

    return judge_server(options)


@command
def check(
    game: GameName,
    kind: Annotated[str | None, argument("KIND", "What is asked. Default: lists the kinds of the game.")] = None,
    folder: Annotated[Path | None, argument("FOLDER", "The folder with N-in.json and N-out.json.")] = None,
    json: PlainJson = False,
) -> int:
    """Check test data of your own against the rules of a game.

    Each N-in.json holds the values of a question one behind the other, N-out.json the expected answer. Where the values
    of a question are to be refused, the expected answer is {"error": ""}, or the part of the sentence that counts.
    Exit code 1: some answers differ.

    Examples:

    \b
      fairplay check fish
      fairplay check fish reach tests/
    """
    from fairplay.terminal.authors.testdata import check_folder, show_kinds

    if kind is not None and folder is not None:
        return check_folder(game, kind, folder, json)
    show_kinds(game, kind, json)
    return DONE
