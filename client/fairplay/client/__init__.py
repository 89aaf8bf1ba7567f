"""What people do and read at a server, wherever it is shown: the terminal and the pages for browsers both use it."""
