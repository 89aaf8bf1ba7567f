"""Start the guard: `python -I -S FOLDER SPEC COMMAND...`, where FOLDER is this one. It needs no installed package."""

import sys

if __name__ == "__main__":
    sys.path[0] = __file__.removesuffix("/fairplay/sandbox/__main__.py")

    from fairplay.sandbox.guard import main

    sys.exit(main(sys.argv[1:]))
