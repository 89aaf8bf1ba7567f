#!/bin/sh
# Prints the first Python that Fairplay can be set up with: of the candidates given, or else of the usual names.
# Where there is none, says in one sentence what is missing and exits with 1.
set -u

[ $# -gt 0 ] || set -- python3 python3.14 python3.13 python3.12 python3.11
seen=

for candidate in "$@"; do
    version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        seen="$seen $candidate is $version, too old."
    elif ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
        seen="$seen $candidate ($version) lacks venv (Debian, Ubuntu: apt install python$version-venv)."
    else
        echo "$candidate"
        exit 0
    fi
done

echo "Fairplay needs Python 3.11 or newer with its venv module." \
    "${seen# }${seen:+ }Install one, or name it: make PYTHON=/path/to/python3.12" >&2
exit 1
