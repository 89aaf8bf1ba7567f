#!/bin/sh
# Runs the quick tests on another Python, in an environment of its own: tools/test_on.sh python3.13
set -e
environment=build/environments/$1
[ -x "$environment/bin/python" ] || "$1" -m venv "$environment"
"$environment/bin/python" -m pip --disable-pip-version-check install --quiet --prefer-binary --editable '.[dev]'
exec "$environment/bin/python" -m pytest -n 3 --dist worksteal -m "not slow and not sandbox and not postgresql and not web"
