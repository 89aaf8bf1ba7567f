"""Read what the comments of the protos say in a fixed form: limits of fields, roles and reasons of methods.

proto/README.md says the forms. The comments are the one place where a limit stands: `make generate` writes what they
say as limits.json beside the stubs, the server checks requests by it, and `fairplay protos` exports it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

MESSAGES, ENUMS, SERVICES, PARTS, ONEOFS = 4, 5, 6, 2, 8  # the numbers of the fields of descriptors, which make paths
DURATION = ".google.protobuf.Duration"
REASONS, REASON, ROLE = ".ErrorReason", "ERROR_REASON_", "ROLE_"

Comments: TypeAlias = Mapping[tuple[int, ...], str]
Limits: TypeAlias = dict[str, Any]

AMOUNT = r"-?[\d,]+(?:\^\d+)?(?: (?:ms|s|min|h|days?))?"
WHAT = r"(?: (?P<what>characters|bytes|elements?))?(?: each)?\."
FORMS = (
    re.compile(rf"At most (?P<high>{AMOUNT}){WHAT}"),
    re.compile(rf"At least (?P<low>{AMOUNT}){WHAT}"),
    re.compile(rf"From (?P<low>{AMOUNT}) to (?P<high>{AMOUNT}){WHAT}"),
    re.compile(rf"Exactly (?P<low>(?P<high>{AMOUNT})){WHAT}"),
    re.compile(rf"Below (?P<below>{AMOUNT})\."),
    re.compile(rf"Cut after (?P<cut>{AMOUNT}) (?P<what>characters|bytes)\."),
    re.compile(rf"More than (?P<clamp>{AMOUNT}) counts as (?P=clamp)\."),
    re.compile(r"Matches `(?P<pattern>[^`]+)`\."),
    re.compile(r"(?P<required>Required)\."),
)
SUSPECT = re.compile(
    r"\b(at most|at least|up to|below|between|fewer than|more than|cut (to|after)) -?\d"
    rf"|{AMOUNT} to -?\d|\d (characters|bytes|elements|[KM]iB)\b|\brequired\b|\bmatches `",
    re.IGNORECASE,
)
"""What a sentence looks like that states a limit."""
SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z0-9])")
QUOTED = re.compile(r"\"[^\"]*\"")
UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3_600, "day": 86_400, "days": 86_400}
SUFFIXES = {"characters": "characters", "bytes": "bytes", "elements": "items", "element": "items"}

NEEDS = re.compile(r"Needs the role (\w+)\.")
FAILS = re.compile(r"(?:Fails|Every method(?: but (?P<but>\w+))? fails) with (?P<with>(?:[^.]|\.(?=\w))*)\.")
AS_ALL = "fails as ErrorReason says of all methods."
SAME = re.compile(r"Fails as (\w+) does\.")
CAPITALS = re.compile(r"\b[A-Z][A-Z_]{2,}\b")


class CommentError(ValueError):
    """A comment states something that is not understood."""


def read_limits(files: FileDescriptorSet) -> Limits:
    """Return the limits of all fields, and the roles and reasons of all methods, by full name.

    The files must have their comments. Raises CommentError for a sentence that looks like a limit and is none of the
    forms, two sentences that state the same limit, and a role or reason that there is not.
    """
    ours = [file for file in files.file if file.package.startswith("fairplay.")]
    comments = {file.name: _comments(file) for file in ours}
    fields: Limits = {}
    for file in ours:
        for index, message in enumerate(file.message_type):
            fields.update(_fields(message, f"{file.package}.{message.name}", (MESSAGES, index), comments[file.name]))
    statuses = dict(_statuses(ours, comments))
    methods: Limits = {}
    for file in ours:
        methods.update(_methods(file, comments[file.name], _all_methods(ours, comments), statuses))
    return {"fields": fields, "methods": methods, "statuses": statuses}


def write_limits(files: FileDescriptorSet) -> str:
    """Return the limits as the text of limits.json."""
    return json.dumps(read_limits(files), indent=1) + "\n"


def _comments(file: FileDescriptorProto) -> Comments:
    return {tuple(place.path): " ".join(place.leading_comments.split()) for place in file.source_code_info.location}


def _fields(
    message: DescriptorProto, name: str, path: tuple[int, ...], comments: Comments
) -> Iterator[tuple[str, Limits]]:
    for index, field in enumerate(message.field):
        if limits := read_comment(comments.get((*path, PARTS, index), ""), f"{name}.{field.name}", field):
            yield f"{name}.{field.name}", limits
    for index, oneof in enumerate(message.oneof_decl):
        if limits := read_comment(comments.get((*path, ONEOFS, index), ""), f"{name}.{oneof.name}"):
            yield f"{name}.{oneof.name}", limits


def read_comment(comment: str, name: str, field: FieldDescriptorProto | None = None) -> Limits:
    """Return the limits that the comment of a field or oneof states. Raises CommentError as `read_limits` does."""
    found: Limits = {}
    for sentence in SENTENCE.split(comment):
        stated = next((match for form in FORMS if (match := form.fullmatch(sentence))), None)
        if stated is None:
            if SUSPECT.search(QUOTED.sub("", sentence)):
                raise CommentError(f"{name}: this looks like a limit and has none of its forms: {sentence}")
            continue
        for key, value in _stated(stated.groupdict(), field).items():
            if found.setdefault(key, value) != value:
                raise CommentError(f"{name}: two sentences state {key}")
    return found


def _stated(parts: Mapping[str, str | None], field: FieldDescriptorProto | None) -> Limits:
    """Return the limits of one sentence, by the names that limits.json has for them."""
    if parts.get("required"):
        return {"required": True}
    if pattern := parts.get("pattern"):
        re.compile(pattern)
        return {"pattern": pattern}
    what = parts.get("what")
    kind = SUFFIXES[what] if what else "seconds" if field is not None and field.type_name == DURATION else ""
    low, high = ("min", "max") if what else ("minimum", "maximum")
    names = {"low": low, "high": high, "below": "maximum", "cut": "cut", "clamp": "clamp"}
    return {
        f"{names[part]}_{kind}".removesuffix("_"): _number(text) - (part == "below")
        for part, text in parts.items()
        if part in names and text
    }


def _number(text: str) -> int | float:
    """Return an amount as a number, of seconds where it is a time."""
    amount, _, unit = text.replace(",", "").partition(" ")
    base, _, power = amount.partition("^")
    value = int(base) ** int(power or 1) * UNITS[unit or "s"]
    return int(value) if value == int(value) else value


def _statuses(files: list[FileDescriptorProto], comments: Mapping[str, Comments]) -> Iterator[tuple[str, str]]:
    """Yield each reason with its status, which the comment of its value begins with."""
    for file in files:
        for index, enum in enumerate(file.enum_type):
            if f".{enum.name}" == REASONS:
                for number, value in enumerate(enum.value):
                    status, colon, _ = comments[file.name][ENUMS, index, PARTS, number].partition(":")
                    if colon:
                        yield value.name.removeprefix(REASON), status


def _all_methods(files: list[FileDescriptorProto], comments: Mapping[str, Comments]) -> str:
    """Return the comment of the reasons, which says with which of them every method fails."""
    found = (
        comments[file.name].get((ENUMS, index), "")
        for file in files
        for index, enum in enumerate(file.enum_type)
        if f".{enum.name}" == REASONS
    )
    return " ".join(found)


def _methods(
    file: FileDescriptorProto, comments: Comments, all_methods: str, statuses: Mapping[str, str]
) -> Iterator[tuple[str, Limits]]:
    for index, service in enumerate(file.service):
        shared = comments.get((SERVICES, index), "")
        names = [method.name for method in service.method]
        texts = {name: comments.get((SERVICES, index, PARTS, number), "") for number, name in enumerate(names)}
        for name, text in texts.items():
            stated, full_name = Limits(), f"{file.package}.{service.name}.{name}"
            if role := NEEDS.search(text):
                stated["role"] = role[1]
            named = [texts[other] for other in SAME.findall(text)]
            if AS_ALL in shared or AS_ALL in text:
                named.append(all_methods)
            if reasons := dict.fromkeys(_reasons(full_name, [text, *named, shared], statuses)):
                stated["reasons"] = list(reasons)
            yield full_name, stated


def _reasons(name: str, texts: list[str], statuses: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons that some comments name after "Fails with", each behind its status."""
    for match in (match for text in texts for match in FAILS.finditer(text)):
        status = ""
        if match["but"] == name.rpartition(".")[2]:
            continue
        for word in CAPITALS.findall(match["with"]):
            if statuses.get(word) == status:
                yield word
            elif word in statuses.values():
                status = word
            else:
                raise CommentError(f"{name}: {status} and {word} do not go together, or there is no such reason")
