"""The pages, a module for each part of the site."""

from __future__ import annotations

from fairplay.web.pages import (
    account,
    certificates,
    entering,
    games,
    lobby,
    new_table,
    operator,
    organising,
    records,
    table,
    tournaments,
    watch,
)

PARTS = (
    *(lobby, account, new_table, table, watch, games),
    *(organising, entering, tournaments, records, certificates, operator),
)
PAGES = [route for part in PARTS for route in part.ROUTES]
"""The routes of all pages."""
