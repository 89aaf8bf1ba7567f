"""python -m fairplay.terminal: the command line without the installed script."""

from fairplay.terminal import main

main()
