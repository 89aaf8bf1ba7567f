"""The path under which a proxy shows the pages."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send


class Rooted:
    """Takes requests below a path, whether the proxy passes that path on or cuts it off."""

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and self._root:
            path = scope["path"]
            whole = path if path == self._root or path.startswith(f"{self._root}/") else self._root + path
            scope = {**scope, "root_path": self._root, "path": whole}
        await self._app(scope, receive, send)
