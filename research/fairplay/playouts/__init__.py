"""Random games of Fairplay by the thousand, for programs that learn or search: `Playouts` returns them as arrays.

    from fairplay.playouts import Playouts

    with Playouts("fish", players=2, jobs=4) as playouts:
        batch = playouts.play(10_000, seed=1)

Needs the extra `research`. The page docs/research.md says what is in a batch.
"""

from __future__ import annotations

from importlib.util import find_spec

from fairplay.games.distribution import lacks_extra

if find_spec("numpy") is None:
    raise ModuleNotFoundError(lacks_extra("fairplay.playouts", "research"), name="numpy")

from fairplay.playouts.batches import Batch, Playouts  # what they import is there

__all__ = ["Batch", "Playouts"]
