"""python -m reference_server.cli: the command line without the installed script."""

from reference_server.cli import main

main()
