"""The pages, a module for each part of the site."""

from __future__ import annotations

from fairplay.web.pages import games, lobby, new_table, operator, records, table, tournaments, watch

PARTS = (lobby, new_table, table, watch, games, tournaments, records, operator)
PAGES = [route for part in PARTS for route in part.ROUTES]
"""The routes of all pages."""
