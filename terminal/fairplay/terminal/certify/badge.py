"""What `fairplay certificate badge` does: a small picture that says for what a player is certified."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from fairplay.certificate import Certificate
from fairplay.client.errors import FailedError, UsageError
from fairplay.games.game import find, registered
from fairplay.games.kit.files import Output
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.certify.verify import examine_file
from fairplay.terminal.commands.certify import Demands

HEIGHT, PADDING, CHAR_WIDTH = 20, 6, 6.4
"""In pixels. The width of a character is that of most; texts are fitted into the width that follows from it."""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {message}">
<title>{title}</title>
<rect width="{width}" height="20" rx="3" fill="#4a4a4a"/>
<path d="M{left} 0h{flat}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{flat}z" fill="#1f7a45"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle">
<text x="{label_x}" y="14" textLength="{label_width}">{label}</text>
<text x="{message_x}" y="14" textLength="{message_width}">{message}</text>
</g>
</svg>
"""


def title_of(game: str) -> str:
    """Return the title of the game that a certificate is for, or "server"."""
    return find(game).title if game in registered() else game


def badge_svg(found: Certificate) -> str:
    """Return the picture, which needs nothing else, with the name of the player as its tooltip."""
    label, message = _words(found)
    label_width, message_width = (round(CHAR_WIDTH * len(each)) for each in (label, message))
    left = label_width + 2 * PADDING
    width = left + message_width + 2 * PADDING
    facts = f"seed {found.seed}, suite {found.suite_version}, {found.issued}"
    title = f"{' '.join((found.player, found.player_version)).strip()}: {label}, {message} ({facts})"
    return SVG.format(
        label=escape(label),
        message=escape(message),
        title=escape(title.translate(UNPRINTABLE)),
        width=width,
        left=left,
        flat=width - left - 3,
        label_x=left / 2,
        message_x=left + (width - left) / 2,
        label_width=label_width,
        message_width=message_width,
    )


def badge_json(found: Certificate) -> str:
    """Return what shields.io asks of an endpoint, which it draws a badge of."""
    label, message = _words(found)
    return json.dumps({"schemaVersion": 1, "label": label, "message": message, "color": "brightgreen"}) + "\n"


def _words(found: Certificate) -> tuple[str, str]:
    within = f", {found.profile}" if found.profile else ""
    return f"Fairplay {title_of(found.game)}", f"certified, revision {found.protocol_revision}{within}"


def write_badge(file: Path, demands: Demands, where: str) -> None:
    """Write the badge of a certificate: for shields.io where the name of the file ends with .json.

    Raises what `examine_file` raises, UsageError for a name of something else, and FailedError if the certificate
    certifies nothing, or not what is demanded.
    """
    if Path(where).suffix not in ("", ".json", ".svg"):
        raise UsageError(f"a badge is written as SVG, or as JSON for shields.io: {where} must end with .svg or .json")
    examined = examine_file(file, demands)
    if examined.objection:
        raise FailedError(f"there is no badge for it. {examined.sentence}")
    draw = badge_json if where.endswith(".json") else badge_svg
    Output(where).write(draw(examined.certificate))
