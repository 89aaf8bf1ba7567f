"""What the pictures of games show, for the tests of all of them."""

from __future__ import annotations

from xml.etree import ElementTree

from rich.console import Console

SVG = "{http://www.w3.org/2000/svg}"


class Drawing:
    """What an SVG document shows."""

    def __init__(self, document: str) -> None:
        self.root = ElementTree.fromstring(document)
        self.title = self.root.findtext(f"{SVG}title", "")
        self.width, self.height = float(self.root.get("width", "")), float(self.root.get("height", ""))

    def of(self, kind: str) -> list[ElementTree.Element]:
        """Return the elements of a class, e.g. "tile"."""
        return [element for element in self.root.iter() if element.get("class") == kind]

    def texts(self, kind: str) -> list[str]:
        """Return the text in each element of a class."""
        return ["".join(element.itertext()).strip() for element in self.of(kind)]

    def titles(self, kind: str) -> list[str]:
        """Return the title of each element of a class."""
        return [element.findtext(f"{SVG}title", "") for element in self.of(kind)]

    def at(self, cell: tuple[int, int], *kinds: str) -> tuple[float, float]:
        """Return where an element with the title of a cell is."""
        for element in (each for kind in kinds for each in self.of(kind)):
            if element.findtext(f"{SVG}title", "").startswith(f"[{cell[0]}, {cell[1]}]: "):
                return place(element)
        raise AssertionError(f"nothing is drawn at {cell}")

    def check_frames(self) -> None:
        """Check that every panel with a frame lies within the picture, and what has a frame within its panel."""
        for panel in self.root.findall(f"{SVG}g"):
            _, right, bottom = framed(panel)
            assert right <= self.width
            assert bottom <= self.height
            groups = panel.findall(f"{SVG}g")
            inner = [each for group in groups if "data-region" in group.attrib for each in group.findall(f"{SVG}g")]
            for group in [*(group for group in groups if "data-region" not in group.attrib), *inner]:
                if group.find(f"{SVG}rect") is not None:
                    (x, y), right, bottom = framed(group)
                    frame = panel.find(f"{SVG}rect")
                    assert frame is not None
                    assert right <= float(frame.get("width", "")), (x, y)
                    assert bottom <= float(frame.get("height", "")), (x, y)


def place(element: ElementTree.Element) -> tuple[float, float]:
    """Return where an element is moved to."""
    x, y = element.get("transform", "").removeprefix("translate(").partition(")")[0].split()
    return float(x), float(y)


def framed(group: ElementTree.Element) -> tuple[tuple[float, float], float, float]:
    """Return where a group is, and where its frame ends, to the right and below."""
    frame = group.find(f"{SVG}rect")
    assert frame is not None
    x, y = place(group)
    return (x, y), x + float(frame.get("width", "")), y + float(frame.get("height", ""))


def shown_lines(markup: str) -> list[str]:
    """Return the lines of a text picture as a console shows them."""
    console = Console(width=400, color_system=None)
    with console.capture() as captured:
        console.print(markup)
    return [line.rstrip() for line in captured.get().splitlines()]
