"""The pages, a module for each part of the site."""

from __future__ import annotations

from fairplay.web.pages import games, lobby, operator, records, table, tournaments, watch

PAGES = [route for part in (lobby, table, watch, games, tournaments, records, operator) for route in part.ROUTES]
"""The routes of all pages."""
