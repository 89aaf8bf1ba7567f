"""Write docs/reference/ from the comments of the protos: a page for each package.

python -m tools.docs_reference            writes the pages
python -m tools.docs_reference --check    exit code 1 if they are not what the protos give
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)

from fairplay.server.net.limits import METHODS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
MESSAGES, ENUMS, SERVICES, PARTS, VALUES = 4, 5, 6, 2, 2  # the numbers of the fields of descriptors, which make paths
SCALARS = {number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()}
TITLES = {
    "fairplay.v1": "Server, players and records",
    "fairplay.fish.v1": "Fish",
    "fairplay.q.v1": "The Q game",
    "fairplay.bazaar.v1": "Bazaar",
    "fairplay.eriantys.v1": "Eriantys",
    "fairplay.webset.v1": "Webset",
}


class Source(NamedTuple):
    """A file of protos and the comments in it, by path."""

    file: FileDescriptorProto
    comments: Mapping[tuple[int, ...], str]

    def comment(self, *path: int) -> str:
        """Return the comment in front of a thing, as paragraphs of Markdown."""
        return markdown(self.comments.get(path, ""))


def markdown(comment: str) -> str:
    """Return a comment as Markdown: lists and tables of the protos are indented, and stay as they are."""
    paragraphs = re.split(r"\n\s*\n", comment.strip("\n"))
    return "\n\n".join(filter(None, map(_paragraph, paragraphs)))


def _paragraph(text: str) -> str:
    lines = [line.removeprefix(" ") for line in text.split("\n")]
    if any(line.startswith("  ") for line in lines):
        return "```text\n" + "\n".join(lines) + "\n```"
    return _escaped(" ".join(line.strip() for line in lines))


def _escaped(text: str) -> str:
    """Escape what Markdown would take for marks of its own, but for what is between backticks."""
    return re.sub(r"`[^`]*`|[*_<>\[\]]", lambda each: each[0] if len(each[0]) > 1 else f"\\{each[0]}", text)


def read_sources() -> list[Source]:
    """Return all files of proto/, by name, with their comments. Raises CalledProcessError if they do not compile."""
    with TemporaryDirectory() as scratch:
        image = Path(scratch) / "image.binpb"
        buf = Path(sys.executable).parent / "buf"
        subprocess.run([buf, "build", ROOT / "proto", "--as-file-descriptor-set", "--output", image], check=True)
        files = FileDescriptorSet.FromString(image.read_bytes()).file
    ours = [file for file in files if file.package.startswith("fairplay.")]
    return [Source(file, _comments(file)) for file in sorted(ours, key=lambda file: file.name)]


def _comments(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    return {tuple(place.path): place.leading_comments for place in file.source_code_info.location}


def write_pages(sources: Sequence[Source]) -> dict[str, str]:
    """Return the text of each page by its file name, and of their index."""
    packages = list(dict.fromkeys(source.file.package for source in sources))
    packages.sort(key=list(TITLES).index)
    pages = {f"{package}.md": _page(package, [s for s in sources if s.file.package == package]) for package in packages}
    links = [f"- [{TITLES[package]}]({package}.md): `{package}`" for package in packages]
    intro = (
        "# Reference\n\nEvery service, message and field, made from the comments of the protos by `make reference`.\n\n"
    )
    links.append("- [Roles](roles.md): who may call which method")
    return {"README.md": intro + "\n".join(links) + "\n", "roles.md": _roles(sources), **pages}


def _roles(sources: Sequence[Source]) -> str:
    """Return the page of the roles: each method of a server, and whether it changes something."""
    rows = [
        f"| {service.name}.{method.name} | {role} | {'' if _harmless(method) else 'yes'} |"
        for source in sources
        for service in source.file.service
        for method in service.method
        if (role := _role_name(f"{source.file.package}.{service.name}.{method.name}"))
    ]
    head = (
        "# Roles\n\n"
        "Who may call which method of a server that knows accounts, from the comments of the methods. Each role\n"
        "may do what the ones before it may: spectator, player, organiser, operator. What a method changes belongs to\n"
        "the caller, or the caller is an operator.\n\n"
        "| method | role | changes something |\n|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"


def _harmless(method: MethodDescriptorProto) -> bool:
    return bool(method.options.idempotency_level == method.options.NO_SIDE_EFFECTS)


def _page(package: str, sources: Sequence[Source]) -> str:
    parts = [f"# {TITLES[package][0].upper()}{TITLES[package][1:]}: `{package}`"]
    for source in sources:
        parts.append(f"## {source.file.name}")
        for index, service in enumerate(source.file.service):
            parts += _service(source, index, service)
        for index, message in enumerate(source.file.message_type):
            parts += _message(source, (MESSAGES, index), message)
        for index, enum in enumerate(source.file.enum_type):
            parts += _enum(source, (ENUMS, index), enum)
    return "\n\n".join(parts) + "\n"


def _service(source: Source, index: int, service: ServiceDescriptorProto) -> Iterator[str]:
    yield f"### {service.name}"
    yield source.comment(SERVICES, index)
    for number, method in enumerate(service.method):
        yield f"#### {service.name}.{method.name}"
        role = _role_name(f"{source.file.package}.{service.name}.{method.name}")
        yield f"`{_signature(method)}`{f', for the role {role}' if role else ''}"
        yield source.comment(SERVICES, index, PARTS, number).removesuffix(f"\n\nNeeds the role {role.upper()}.")


def _signature(method: MethodDescriptorProto) -> str:
    ways = ("stream " if method.client_streaming else "", "stream " if method.server_streaming else "")
    request, reply = (name.rpartition(".")[2] for name in (method.input_type, method.output_type))
    return f"{method.name}({ways[0]}{request}) returns ({ways[1]}{reply})"


def _role_name(method: str) -> str:
    """Return the role that a method needs; empty for methods of players, which have none."""
    return METHODS[method].role.lower()


def _message(source: Source, path: tuple[int, ...], message: DescriptorProto) -> Iterator[str]:
    yield f"### {message.name}"
    yield source.comment(*path)
    if message.field:
        rows = [
            f"| {field.number} | `{field.name}` | {_type(field)} | {_cell(source.comment(*path, PARTS, index))} |"
            for index, field in enumerate(message.field)
        ]
        yield "\n".join(["| | field | type | meaning |", "|---|---|---|---|", *rows])


def _type(field: FieldDescriptorProto) -> str:
    name = field.type_name.removeprefix(".") if field.type_name else SCALARS[field.type]
    short = name if name.startswith("google.") else name.rpartition(".")[2]
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {short}"
    if field.proto3_optional:
        return f"optional {short}"
    return f"{short}, one of" if field.HasField("oneof_index") else short


def _cell(comment: str) -> str:
    return " ".join(comment.split()).replace("|", "\\|")


def _enum(source: Source, path: tuple[int, ...], enum: EnumDescriptorProto) -> Iterator[str]:
    yield f"### {enum.name}"
    yield source.comment(*path)
    rows = [
        f"| {value.number} | `{value.name}` | {_cell(source.comment(*path, VALUES, index))} |"
        for index, value in enumerate(enum.value)
    ]
    yield "\n".join(["| | value | meaning |", "|---|---|---|", *rows])


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them."""
    pages = write_pages(read_sources())
    if "--check" in arguments:
        there = {path.name: path.read_text("utf-8") for path in PAGES.glob("*.md")}
        stale = sorted(name for name in {*pages, *there} if pages.get(name) != there.get(name))
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is not what the protos give: run make reference\n")
        return 1 if stale else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for old in PAGES.glob("*.md"):
        old.unlink()
    for name, text in pages.items():
        (PAGES / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
