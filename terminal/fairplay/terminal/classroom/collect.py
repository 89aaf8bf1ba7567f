"""What `fairplay class collect` does: hand-ins become programs with certificates, and a roster of the best of each."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from fairplay.certificate import check
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.wording import counted
from fairplay.games.kit.files import Output, read_text
from fairplay.terminal.certify.roster import certify_entrants, folder_of
from fairplay.terminal.classroom.archive import remove, root_of, unpack
from fairplay.terminal.classroom.exports import Student, name_students, read_export
from fairplay.terminal.classroom.settings import Class, Start, read_class
from fairplay.terminal.commands.certify import CertifyOptions
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, make_directory, say
from fairplay.terminal.roster import Entrant, Roster, fill_template, free_name, roster_text

STATE = "collected.json"
CERTIFICATE = "certificate.json"


@dataclass(slots=True)
class HandIn:
    """Something that was handed in, under its number among those of its student."""

    number: int
    digest: str
    asked: dict[str, Any] | None = None
    """With which options it was judged; None: it was not."""


@dataclass(slots=True)
class Known:
    """A student of the class, with all hand-ins, the newest last."""

    key: str
    id: str
    """The name in the roster."""
    who: str
    hand_ins: list[HandIn] = field(default_factory=list)


class Collection:
    """What has been collected for a class, which its folder keeps."""

    def __init__(self, class_: Class) -> None:
        """Read it. Raises FailedError if its file is damaged."""
        self._class = class_
        self._file = class_.folder / STATE
        self.students: dict[str, Known] = {}
        try:
            content = json.loads(self._file.read_bytes()) if self._file.exists() else {"students": []}
            for each in content["students"]:
                hand_ins = [HandIn(**hand_in) for hand_in in each.pop("hand_ins")]
                self.students[each["key"]] = Known(**each, hand_ins=hand_ins)
        except (ValueError, TypeError, KeyError):
            raise FailedError(f"{self._file} is damaged: remove it and {class_.programs} to begin again") from None

    def save(self) -> None:
        """Write it, whole or not at all."""
        students = [asdict(student) for student in self.students.values()]
        Output(self._file).write(json.dumps({"students": students}, indent=1, ensure_ascii=False) + "\n")

    def add(self, student: Student) -> Iterator[str]:
        """Unpack what is new of a student, and yield a sentence for each hand-in that cannot be used.

        Afterwards the hand-ins of this export are the last ones, in its order: one may be handed in again.
        """
        if (known := self.students.get(student.key)) is None:
            taken = [each.id for each in self.students.values()]
            who = student.who.replace(".", " ")  # what a dot follows is the number of a hand-in
            id_ = free_name(who, taken, student.key)
            known = self.students[student.key] = Known(student.key, id_, student.who)
        known.who = student.who
        for source in student.hand_ins:
            number = max((each.number for each in known.hand_ins), default=0) + 1
            folder = self.folder(known, number)
            new = folder.with_name(f"{folder.name}.new")
            remove(new)
            try:
                digest = unpack(source, new).digest
            except ValueError as error:
                remove(new)
                yield f"{known.who}: {source.name} {error}"
                continue
            hand_in = next((each for each in known.hand_ins if each.digest == digest), None)
            if hand_in is None:
                remove(folder)  # an interrupted run has left it
                new.rename(folder)
                hand_in = HandIn(number, digest)
            else:
                remove(new)
                known.hand_ins.remove(hand_in)
            known.hand_ins.append(hand_in)
        self.save()

    def folder(self, student: Known, number: int) -> Path:
        """Return the folder of a hand-in."""
        return self._class.programs / student.id / str(number)

    def report(self, student: Known, hand_in: HandIn) -> Path:
        """Return the folder of the report on a hand-in."""
        return self._class.certificates / folder_of(judged_name(student, hand_in))

    def entrant(self, student: Known, hand_in: HandIn, name: str) -> Entrant | None:
        """Return the entrant that a hand-in makes; None if it has none of the files by which programs are started."""
        root = root_of(self.folder(student, hand_in.number))
        start = next((each for each in self._class.starts if (root / each.file).is_file()), None)
        if start is None:
            return None
        (root / start.file).chmod(0o755)  # a zip of Windows does not say that it can be run
        return Entrant(name, f"exec:{fill_template(start.command, root, name)}", student.who, start.language)

    def accepted(self, student: Known, hand_in: HandIn, asked: dict[str, Any]) -> bool | None:
        """Return whether a hand-in meets every MUST that was asked for; None if it was not asked all of that.

        With --fail-fast the first that is not met says enough.
        """
        file = self.report(student, hand_in) / CERTIFICATE
        if hand_in.asked != asked or not file.exists():
            return None
        certificate = check(file.read_bytes())
        is_finished = certificate.complete or (asked["fail_fast"] and certificate.unmet)
        return not certificate.unmet if is_finished else None

    def unjudged(self, asked: dict[str, Any]) -> list[tuple[Known, HandIn]]:
        """Return the newest program of each student that was not judged, unless a newer one is accepted."""
        found = []
        for student in self.students.values():
            for hand_in in reversed(student.hand_ins):
                if self.entrant(student, hand_in, student.id) is None:
                    continue
                accepted = self.accepted(student, hand_in, asked)
                if accepted is None:
                    found.append((student, hand_in))
                if accepted is not False:
                    break
        return found

    def kept(self, student: Known, asked: dict[str, Any]) -> HandIn | None:
        """Return the newest hand-in of a student that is accepted."""
        return next((each for each in reversed(student.hand_ins) if self.accepted(student, each, asked)), None)


def judged_name(student: Known, hand_in: HandIn) -> str:
    """Return the name of a hand-in in the table of certificates."""
    return f"{student.id}.{hand_in.number}"


def collect(export: Path, folder: Path, students: Path | None, options: CertifyOptions, *, all_: bool) -> int:
    """Unpack, certify, and list what was handed in. Return 0 if every student has a program in the roster, or else 1.

    What was done before is not done again. Raises UsageError if something of the class or the export makes no sense.
    """
    class_, console = read_class(folder), make_console()
    options = replace(options, game=class_.game, report=class_.certificates)
    asked = {**asdict(options.suite), "limits": asdict(class_.limits)}
    del asked["jobs"]  # how many are judged at once changes no verdict
    listed = _read_students(students)
    try:
        found = read_export(export, [each.file for each in class_.starts])
    except ValueError as error:
        raise UsageError(str(error)) from None
    absent = name_students(found, listed)
    collection = Collection(class_)
    for sentence in _take(collection, found, class_.starts):
        say(console, escape(sentence))
    for who in absent:
        say(console, escape(f"{who}: nothing was handed in"))
    make_directory(class_.certificates)
    judged = set[str]()
    while todo := [each for each in collection.unjudged(asked) if judged_name(*each) not in judged]:
        judged.update(judged_name(*each) for each in todo)
        for student, hand_in in todo:
            remove(collection.report(student, hand_in))
            hand_in.asked = asked
            _forget_older(collection, student, hand_in, asked)
        collection.save()
        entrants = [collection.entrant(student, hand_in, judged_name(student, hand_in)) for student, hand_in in todo]
        certify_entrants(options, Roster([each for each in entrants if each is not None], class_.limits))
    return _list(collection, class_, asked, absent, console, all_=all_)


def _read_students(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        return read_text(file).splitlines()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None


def _take(collection: Collection, students: Iterable[Student], starts: Sequence[Start]) -> Iterator[str]:
    """Add what was handed in, and yield a sentence for everything that is missing, twice, or of no use."""
    for student in students:
        if not student.hand_ins:
            yield f"{student.who}: nothing was handed in"
        if len(student.hand_ins) > 1:
            newest = student.hand_ins[-1].name
            yield f"{student.who}: {counted(len(student.hand_ins), 'hand-in')}, of which {newest} is the newest"
        yield from collection.add(student)
        known = collection.students[student.key]
        if known.hand_ins and collection.entrant(known, known.hand_ins[-1], known.id) is None:
            files = " or ".join(each.file for each in starts)
            yield f"{known.who}: there is no {files} in {collection.folder(known, known.hand_ins[-1].number)}"
    by_digest, by_name = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for known in collection.students.values():
        by_name[known.who].add(known.id)
        for hand_in in known.hand_ins:
            by_digest[hand_in.digest].add(known.who if known.who == known.id else f"{known.who} ({known.id})")
    for who, ids in by_name.items():
        if len(ids) > 1:
            yield f"{who} is the name of {counted(len(ids), 'student')}: {', '.join(sorted(ids))}"
    for names in by_digest.values():
        if len(names) > 1:
            yield f"the same files were handed in by {', '.join(sorted(names))}"


def _forget_older(collection: Collection, student: Known, newer: HandIn, asked: dict[str, Any]) -> None:
    """Take older hand-ins out of the table of certificates, but for the one that is accepted."""
    kept = collection.kept(student, asked)
    for hand_in in student.hand_ins[: student.hand_ins.index(newer)]:
        if hand_in is not kept:
            remove(collection.report(student, hand_in))


def _list(
    collection: Collection, class_: Class, asked: dict[str, Any], absent: Sequence[str], console: Console, *, all_: bool
) -> int:
    """Write the roster, put the certificates of those in it beside it, and say who is not in it."""
    entrants, code = [], FAILED if absent else DONE
    for student in sorted(collection.students.values(), key=lambda each: each.id):
        certificate = class_.certificates / folder_of(student.id)
        hand_in = collection.kept(student, asked)
        remove(certificate)
        if hand_in is not None:
            shutil.copytree(collection.report(student, hand_in), certificate)
        else:
            code = FAILED
            if student.hand_ins:
                say(console, escape(f"{student.who}: no program is certified"))
            hand_in = student.hand_ins[-1] if all_ and student.hand_ins else None
        if hand_in is not None and (entrant := collection.entrant(student, hand_in, student.id)) is not None:
            entrants.append(entrant)
    comment = "Made by fairplay class collect, which writes it anew each time"
    Output(class_.roster).write(roster_text(entrants, class_.limits, comment))
    say(console, escape(f"{class_.roster} lists {counted(len(entrants), 'entrant')}"))
    return code
