"""Every command line of the pages does what its page says."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import COMMAND_PAGES, ROOT, commands, name_of, run
from tests.slow import SLOW

LIMIT_S = 100.0
"""More than any page may take on a machine that is busy with something else."""


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="the pages are run by bash")


def environment(folder: Path) -> dict[str, str]:
    """This environment's programs first on the PATH; wide lines, so that nothing is folded.

    What a page installs with pip is installed for that page alone, from the tree and without a network.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    site = str(folder / "site-packages")
    pip = {"PIP_TARGET": site, "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return {**os.environ, "PATH": path, "PYTHONPATH": site, "COLUMNS": "200", **pip}


@needs_bash
@SLOW
@pytest.mark.parametrize("page", [page for page in COMMAND_PAGES if commands(page.read_text())], ids=name_of)
def test_every_command_of_a_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    code, printed = run(page.read_text(), tmp_path, environment(tmp_path), LIMIT_S)
    assert code == 0, printed


# --- what deploy/ starts, without containers and systemd ---

DEPLOY = ROOT / "deploy"
PLACES = {
    "/run/secrets/": "deploy/tls/",
    "/etc/fairplay/": "deploy/tls/",
    "/var/lib/fairplay/": "state/",
    "/opt/fairplay/bin/": "",
    "${STATE_DIRECTORY}": "state",
    "0.0.0.0:50050": "127.0.0.1:50050",
    ":9464": ":50051",
    ":8443": ":50052",
    ":8080": ":50052",
    "--host fairplay": "--host localhost",
    "fairplay:50050": "localhost:50050",
    "play.example.org:50050": "localhost:50050",
}
"""What a container, a service and their network have, in the folder of a page."""


def here(command: str) -> str:
    """What is typed in the folder of a page in the place of a command of deploy/."""
    for there, place in PLACES.items():
        command = command.replace(there, place)
    return command


def page_of(commands: Sequence[str]) -> str:
    return "\n".join(["```console", *(f"$ {here(each)}" for each in commands), "```\n"])


def healthy(service: str) -> str:
    """Waits, as compose does, until a service is well, or has ended."""
    kind, *check = yaml.safe_load((DEPLOY / "compose.yml").read_text())["services"][service]["healthcheck"]["test"]
    assert kind == "CMD"
    return f"until {shlex.join(check)} 2> trouble; do kill -0 $! || {{ cat trouble; exit 1; }}; sleep 0.1; done"


def containers() -> str:
    """The commands at the top of compose.yml, with those of its containers in the place of those of docker."""
    text = (DEPLOY / "compose.yml").read_text()
    typed = re.findall(r"^#   (?!docker)\s*(fairplay .+)$", text, re.MULTILINE)
    certificates, invitation = typed if os.geteuid() == 0 else (line.partition(" && ")[0] for line in typed)
    found = re.search(r"^CMD (\[.+?\])$", (DEPLOY / "Dockerfile").read_text().replace("\\\n", ""), re.MULTILINE)
    assert found is not None
    serve, web = json.loads(found[1]), yaml.safe_load(text)["services"]["web"]["command"]
    started = [f"fairplay {shlex.join(each)} &" for each in (serve, web)]
    return page_of([certificates, started[0], healthy("fairplay"), invitation, started[1], healthy("web")])


def services() -> str:
    """The commands of both units, with the options that they give as an example."""
    started = []
    for name in ("fairplay", "fairplay-web"):
        text = (DEPLOY / "systemd" / f"{name}.service").read_text()
        [(variable, options)] = re.findall(r"e\.g\. (\w+)=(.+)", text)
        [command] = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
        started.append(f"{command.replace(f'${variable}', options)} &")
    well = [healthy(name).replace("https:", "http:") for name in ("fairplay", "web")]  # what this machine alone reaches
    return page_of(["fairplay tls new deploy/tls --host localhost", started[0], well[0], started[1], well[1]])


@needs_bash
@SLOW
@pytest.mark.parametrize("page", [containers, services], ids=["compose", "systemd"])
def test_what_is_deployed_becomes_healthy(page: Callable[[], str], tmp_path: Path) -> None:
    trusting = {**environment(tmp_path), "FAIRPLAY_CA": "deploy/tls/ca.pem"}
    code, printed = run(page(), tmp_path, trusting, LIMIT_S)
    assert code == 0, printed
