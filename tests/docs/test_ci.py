"""The action of GitHub and the template of GitLab: their steps, run in a clean folder with nothing but our wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.pages import ROOT
from tests.slow import SLOW

ACTION = ROOT / "action.yml"
TEMPLATE = ROOT / "deploy" / "gitlab" / "certify.yml"
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
INPUT = re.compile(r"\$\[\[ inputs\.([\w-]+) \]\]")


def action() -> Any:
    return yaml.safe_load(ACTION.read_text("utf-8"))


def template() -> tuple[Any, Any]:
    """The inputs of the template, and its job."""
    head, body = yaml.safe_load_all(TEMPLATE.read_text("utf-8"))
    [job] = body.values()
    return head["spec"]["inputs"], job


def test_versions_are_pinned_and_no_input_becomes_part_of_a_script() -> None:
    steps = action()["runs"]["steps"]
    for step in steps:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", step["uses"]) if "uses" in step else step["shell"] == "bash"
        assert "${{" not in step.get("run", "")
    inputs, job = template()
    assert not [line for line in job["script"] if INPUT.search(line)]
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-[\w-]+", inputs["image"]["default"])
    assert action()["inputs"].keys() - {"report"} <= inputs.keys()


def test_the_page_names_every_input() -> None:
    page = (ROOT / "docs" / "in-ci.md").read_text("utf-8")
    named = set(re.findall(r"`([\w-]+)`", page))
    assert action()["inputs"].keys() <= named
    assert template()[0].keys() <= named | {"package"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True)
    [file] = folder.glob("*.whl")
    return file


def run(script: str, folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "PATH", "PIP_INDEX_URL")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env={**kept, **variables}, capture_output=True, text=True, check=False)


def run_action(inputs: Mapping[str, str], source: str, place: Path, job: Path) -> subprocess.CompletedProcess[str]:
    """Run the steps of the action as a job does, and return how the last one ended."""
    defaults = {name: each.get("default", "") for name, each in action()["inputs"].items()}
    values = {f"inputs.{name}": value for name, value in {**defaults, **inputs}.items()} | {
        "github.action_path": source,
        "runner.temp": str(place),
        "steps.python.outputs.python-path": sys.executable,
    }
    ran = None
    for step in action()["runs"]["steps"]:
        if "run" in step:
            own = {name: EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()}
            ran = run(step["run"], job, {**own, "GITHUB_STEP_SUMMARY": str(place / "summary.md")})
            if ran.returncode:
                break
    assert ran is not None
    return ran


def run_template(inputs: Mapping[str, str], place: Path, job: Path) -> subprocess.CompletedProcess[str]:
    """Run the script of the template as a job does, and return how it ended."""
    offered, described = template()
    values = {name: (each or {}).get("default", "") for name, each in offered.items()} | {**inputs}
    own = {name: INPUT.sub(lambda found: values[found[1]], text) for name, text in described["variables"].items()}
    own["PLACE"] = own["PLACE"].replace("$CI_BUILDS_DIR", str(place)).replace("$CI_JOB_ID", "1")
    return run("\n".join(described["script"]), job, own)


@SLOW
@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_steps_certify_a_player_and_say_what_is_wrong_with_another(
    service: str, wheel: Path, tmp_path: Path
) -> None:
    job = tmp_path / "job"
    job.mkdir()

    def certify(command: str, **more: str) -> subprocess.CompletedProcess[str]:
        inputs = {"game": "fish", "command": command, "level": "must", "budget": "60m", **more}
        if service == "github":  # `pip install "$SOURCE[certify]"` takes a wheel as it takes a folder
            return run_action(inputs, str(wheel), tmp_path, job)
        return run_template({**inputs, "package": f"{wheel}[certify]"}, tmp_path, job)

    ran = certify("false; touch hacked '$(touch hacked)'")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Not certified" in ran.stdout
    summary = tmp_path / "summary.md" if service == "github" else job / "fairplay-report" / "summary.md"
    assert "FAIL contract\\.reachable" in summary.read_text("utf-8")
    assert ("\n::error title=Fish%3A contract.reachable::" in ran.stdout) == (service == "github")
    assert sorted(each.name for each in job.iterdir()) == ["fairplay-report"]
    (job / "known").write_text("contract.reachable\n")
    ran = certify("false", **{"known-failures": "known"})
    assert (ran.returncode, "All of that is known" in ran.stdout) == (0, True), ran.stdout + ran.stderr
    [place] = tmp_path.glob("fairplay*")
    ran = certify(f"{place}/bin/fairplay player fish -s greedy", profile="standard")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Certified for revision 1 within the profile standard: every MUST is met." in ran.stdout
    assert (job / "fairplay-report" / "junit.xml").exists()
