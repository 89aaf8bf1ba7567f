"""The Python of the page about it runs as it stands there, in a notebook, where an event loop runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Jupyter's own libraries
def test_the_code_of_the_page_runs_in_a_notebook_and_prints_what_it_is_about(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    (tmp_path / "my_player.py").symlink_to(ROOT / "examples" / "python" / "my_player.py")
    page = (ROOT / "docs" / "python.md").read_text()
    cells = [nbformat.v4.new_code_cell(block.text) for block in blocks(page) if block.language == "python"]
    loop = nbformat.v4.new_code_cell("import asyncio; print(asyncio.get_running_loop().is_running())")
    notebook = nbformat.v4.new_notebook(cells=[loop, *cells])
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    said = "".join(each.text for cell in notebook.cells for each in cell.outputs)
    running, first, *standings, compared, certified, policy = said.splitlines()
    assert running == "True"
    assert first.startswith("['best'] [('best', 1, ")
    assert [line.split()[0] for line in standings] == ["1", "2", "3"]
    assert compared.startswith("Answer.BETTER ")
    assert certified == "0 []"
    assert policy.startswith("[] ")
