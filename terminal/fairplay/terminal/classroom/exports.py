"""What course systems export: whose hand-in each file and folder is, by their names. Reads names, unpacks nothing.

Moodle writes a folder NAME_ID_assignsubmission_file for each student, or a file that begins like that; Canvas files
NAME_ID_NUMBER_FILE, with a name in small letters without spaces; Gradescope folders submission_NUMBER, and a file that
says whose they are. Everything else is called as its student: a folder with a zip, or a program, or a zip alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairplay.client.wording import cut
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.roster import MAX_TEXT_CHARS

MOODLE = re.compile(r"(?P<who>.+)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_.*)?", re.DOTALL)
CANVAS = re.compile(r"(?P<who>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_.+", re.DOTALL)
METADATA = "submission_metadata.yml"
HAS_SUBMISSION = re.compile(r"^['\"]?(submission_\d+)['\"]?:", re.MULTILINE)
SUBMITTER = re.compile(r"^[ -]*:name: *(?P<name>.+?) *(?:\n +:sid: *(?P<id>.*?) *)?$", re.MULTILINE)
LITTER = ("__MACOSX", "Thumbs.db", "desktop.ini")
"""What systems put beside the files of people."""


@dataclass(slots=True)
class Student:
    """A student of an export, and what was handed in: zips and folders, the newest last."""

    key: str
    """Tells students apart who have the same name: the name, with the number that the course system gives."""
    who: str
    hand_ins: list[Path] = field(default_factory=list)


def read_export(folder: Path, programs: Sequence[str]) -> list[Student]:
    """Return the students of an export, by name. `programs`: the files by which a program is known.

    Raises ValueError, with one sentence, if the folder cannot be read or holds nothing.
    """
    try:
        paths = sorted(_inside(folder))
        names = _gradescope_names(folder / METADATA)
    except OSError as error:
        raise ValueError(f"{folder} cannot be read: {error.strerror}") from None
    found: dict[str, Student] = {}
    for path in paths:
        if path.name == METADATA or (path.is_file() and not is_zip(path) and not MOODLE.fullmatch(path.name)):
            continue
        key, who = _whose(path, names)
        student = found.setdefault(key, Student(key, who))
        student.hand_ins += _hand_ins(path, programs)
    if not found:
        raise ValueError(f"{folder} holds no hand-ins: neither a folder nor a zip")
    for student in found.values():
        student.hand_ins.sort(key=_age)
    return sorted(found.values(), key=lambda each: each.key)


def is_zip(path: Path) -> bool:
    """Return whether a path says that it is a zip."""
    return path.suffix.lower() == ".zip" and path.is_file()


def _inside(folder: Path) -> Iterator[Path]:
    """Yield what is in a folder, but for hidden files, links, and what systems put there."""
    for path in folder.iterdir():
        hidden = path.name.startswith(".") and not MOODLE.fullmatch(path.name)
        if not hidden and path.name not in LITTER and not path.is_symlink():
            yield path


def _whose(path: Path, gradescope: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the key and the name of the student whose file or folder it is."""
    if path.name in gradescope:
        return gradescope[path.name]
    found = MOODLE.fullmatch(path.name) or (CANVAS.fullmatch(path.name) if path.is_file() else None)
    who = readable(found["who"] if found else path.name if path.is_dir() else path.stem)
    return (f"{who} {found['id']}" if found else who), who


def readable(text: str) -> str:
    """Return the name of a person as results show it: one line that steers no terminal, of some length."""
    plain = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode("utf-8")).translate(UNPRINTABLE)
    return cut(" ".join(plain.split()), MAX_TEXT_CHARS)


def _hand_ins(path: Path, programs: Sequence[str]) -> list[Path]:
    """Return the zips that a student has handed in, or the folder, where it is the program itself."""
    if path.is_file():
        return [path] if is_zip(path) else []
    found = MOODLE.fullmatch(path.name)
    inside = list(_inside(path)) if found is None or found["kind"] == "file" else []
    zips = [each for each in inside if is_zip(each)]
    if not inside or (zips and not any((path / program).is_file() for program in programs)):
        return zips
    return [path]


def _age(path: Path) -> tuple[int, list[tuple[int, str]]]:
    """Return what orders hand-ins: when it was written, then its name with numbers in it as numbers."""
    parts = re.split(r"(\d+)", path.stem)
    return int(path.stat().st_mtime), [(int(part) if part.isdecimal() else 0, part) for part in parts]


def _gradescope_names(file: Path) -> dict[str, tuple[str, str]]:
    """Return the key and the name of the student of each folder of Gradescope; several names for a group."""
    if not file.is_file():
        return {}
    text = file.read_bytes().decode("utf-8", "replace")
    starts = list(HAS_SUBMISSION.finditer(text))
    ends = [each.start() for each in starts[1:]] + [len(text)]
    found = {}
    for start, end in zip(starts, ends, strict=True):
        submitters = list(SUBMITTER.finditer(text[start.end() : end].partition(":created_at:")[0]))
        who = readable(", ".join(each["name"].strip("'\"") for each in submitters)) or start[1]
        found[start[1]] = " ".join([who, *(each["id"] or "" for each in submitters)]).strip(), who
    return found


def name_students(students: Sequence[Student], listed: Iterable[str]) -> list[str]:
    """Give students the names of a list where they are the same but for case, marks, spaces and order.

    Return the names of the list that no student has.
    """
    missing = []
    spelled = {_letters(student.who): student for student in students}
    for name in filter(None, map(readable, listed)):
        words = name.replace(",", " ").split()
        turned = (_letters("".join(words[place:] + words[:place])) for place in range(len(words)))
        student = next((spelled[each] for each in turned if each in spelled), None)
        if student is None:
            missing.append(name)
        else:
            student.who = name
    return missing


def _letters(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text).casefold() if each.isalnum())
