"""Plots and cross tables of reports, as SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from fairplay.client.results import Meeting
from fairplay.terminal.reports.event import Interval

ROW = 20.0
TOP, BOTTOM = 8.0, 34.0
WIDTH = 720.0
LABEL_CHARS = 22
LEFT, RIGHT = 170.0, 110.0
TOP_LINES = 8
LINES_HEIGHT = 340.0
STEPS = (1, 2, 5, 10)
SMALLEST_SPAN = 1e-9
"""Values that differ by less are shown as one."""
MAX_TABLE = 40
"""With more entrants the table is drawn as a map of squares: its numbers are in the JSON."""
SHADES = 8


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its range, in a row of its own."""

    y: float
    label: str
    at: float
    low: float
    high: float
    text: str
    striped: bool


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Values with their ranges, one below the other."""

    title: str
    width: float
    height: float
    left: float
    right: float
    bottom: float
    bars: Sequence[Bar]
    ticks: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class Path:
    """A line of a plot; `label` is empty for those that are only shown as background."""

    points: str
    label: str
    label_y: float


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Values over rounds, a line for each entrant."""

    title: str
    width: float
    height: float
    left: float
    right: float
    bottom: float
    top: float
    paths: Sequence[Path]
    ticks: Sequence[Tick]
    """Of the horizontal axis."""
    side_ticks: Sequence[Tick]


def linear_bars(title: str, values: Mapping[str, Interval], text: str = "{value:.0f} ± {margin:.0f}") -> BarPlot:
    """Return a plot of values with their ranges on a linear axis."""
    low, high = min(each.low for each in values.values()), max(each.high for each in values.values())
    ticks = _linear_ticks(low, high)
    scale = _Scale(min(low, ticks[0]), max(high, ticks[-1]), LEFT, WIDTH - RIGHT)
    texts = {name: text.format(value=each.value, margin=each.margin) for name, each in values.items()}
    return _bar_plot(title, values, texts, scale, [Tick(scale(tick), f"{tick:g}") for tick in ticks])


def logarithmic_bars(title: str, values: Mapping[str, Interval]) -> BarPlot:
    """Return a plot of times in seconds with their ranges on a logarithmic axis."""
    floor_s = 1e-5
    shown = {name: Interval(*(log10(max(each, floor_s)) for each in _ends(range_))) for name, range_ in values.items()}
    low = floor(min(each.low for each in shown.values()))
    high = max(low + 1, ceil(max(each.high for each in shown.values())))
    scale = _Scale(low, high, LEFT, WIDTH - RIGHT)
    texts = {name: f"{show_seconds(each.value)} to {show_seconds(each.high)}" for name, each in values.items()}
    ticks = [Tick(scale(power), show_seconds(10.0**power)) for power in range(low, high + 1)]
    return _bar_plot(title, shown, texts, scale, ticks)


def lines(title: str, series: Mapping[str, Sequence[tuple[int, float]]]) -> LinePlot:
    """Return a plot of series over rounds; the first ones in the mapping are named, the others stand behind them."""
    rounds = [at for points in series.values() for at, _ in points]
    values = [value for points in series.values() for _, value in points]
    side = _linear_ticks(min(values), max(values))
    across = _Scale(min(rounds), max(*rounds, min(rounds) + 1), 52.0, WIDTH - LEFT)
    bottom = LINES_HEIGHT - BOTTOM
    up = _Scale(min(side[0], *values), max(side[-1], *values), bottom, TOP)
    named = list(series)[:TOP_LINES]
    heights = _spread([up(series[name][-1][1]) for name in named], 14.0, TOP + 6, bottom)
    labels = dict(zip(named, heights, strict=True))
    paths = [
        Path(
            " ".join(f"{across(at):.1f},{up(value):.1f}" for at, value in points),
            shorten(name) if name in labels else "",
            labels.get(name, 0.0),
        )
        for name, points in reversed(list(series.items()))
    ]
    ticks = [Tick(across(at), f"{at:g}") for at in _linear_ticks(min(rounds), max(rounds)) if at == int(at)]
    sides = [Tick(up(each), f"{each:g}") for each in side]
    return LinePlot(title, WIDTH, LINES_HEIGHT, 52.0, WIDTH - LEFT, bottom, TOP, paths, ticks, sides)


def show_seconds(seconds: float) -> str:
    """Return a time for people, e.g. "340 µs", "12 ms" or "1.5 s"."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def shorten(name: str) -> str:
    """Return a name as long as there is room for one beside a plot."""
    return name if len(name) <= LABEL_CHARS else f"{name[: LABEL_CHARS - 1]}…"


def _ends(interval: Interval) -> tuple[float, float, float]:
    return interval.value, interval.low, interval.high


class _Scale:
    """A line from values to positions."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self._low = low
        span = high - low
        self._factor = (end - start) / (span if span > SMALLEST_SPAN else 1.0)
        self._start = start

    def __call__(self, value: float) -> float:
        return self._start + (value - self._low) * self._factor


def _bar_plot(
    title: str, values: Mapping[str, Interval], texts: Mapping[str, str], scale: _Scale, ticks: Sequence[Tick]
) -> BarPlot:
    bars = [
        Bar(
            TOP + ROW * (number + 0.5),
            shorten(name),
            scale(each.value),
            scale(each.low),
            scale(each.high),
            texts[name],
            number % 2 == 1,
        )
        for number, (name, each) in enumerate(values.items())
    ]
    bottom = TOP + ROW * len(bars)
    return BarPlot(title, WIDTH, bottom + BOTTOM, LEFT, WIDTH - RIGHT, bottom, bars, ticks)


def _linear_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return round numbers that span a range, about so many."""
    span = high - low if high - low > SMALLEST_SPAN else max(abs(high), 1.0)
    power = 10.0 ** floor(log10(span / count))
    step = next(each * power for each in STEPS if each * power * count >= span)
    first, last = floor(low / step), ceil(high / step)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def _spread(wanted: Iterable[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions near those that are wanted, with at least a gap between them."""
    order = sorted(enumerate(wanted), key=lambda item: item[1])
    placed: list[float] = []
    for _, at in order:
        placed.append(max(at, low, placed[-1] + gap if placed else low))
    over = max(0.0, placed[-1] - high) if placed else 0.0
    for index in reversed(range(len(placed))):
        limit = high if index == len(placed) - 1 else placed[index + 1] - gap
        placed[index] = min(placed[index], limit) if over else placed[index]
    found = [0.0] * len(placed)
    for (number, _), at in zip(order, placed, strict=True):
        found[number] = at
    return found


@dataclass(frozen=True, slots=True)
class Square:
    """The squares of a map that have one shade, as an SVG path, and how strong it is."""

    path: str
    won: bool
    opacity: float


def squares(names: Sequence[str], found: dict[tuple[str, str], Meeting], size: float) -> list[Square]:
    """Return the map of a cross table: a square for each pair that has met, rows and columns in the order of names."""
    paths: defaultdict[int, list[str]] = defaultdict(list)
    at = {name: number for number, name in enumerate(names)}
    for (one, other), meeting in found.items():
        if one in at and other in at:
            shade = round((meeting.share - 0.5) * 2 * SHADES)
            paths[shade].append(f"M{at[other] * size:g} {at[one] * size:g}h{size:g}v{size:g}h-{size:g}z")
    return [
        Square("".join(parts), shade >= 0, 0.08 + 0.82 * abs(shade) / SHADES) for shade, parts in sorted(paths.items())
    ]
