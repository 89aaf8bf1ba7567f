"""Trying all mutants on the whole suite, and the page that says which cases catch them."""
