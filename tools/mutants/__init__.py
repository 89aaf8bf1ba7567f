"""Change the code in small ways, a sample of them chosen by a seed, and report which changes no test notices.

`make mutants` runs it; see `python -m tools.mutants --help`.

The tools that exist were tried first. mutmut 3 takes a module's name from its path and knows the source roots
".", "src" and "source" only, so it does not find a namespace package that is spread over several roots. Cosmic Ray
changes files in place and has one test command for all of them and no sampling. Its operators are usable as a
library, but they change annotations (`int | None`) and replace each arithmetic operator by eleven others, and there
is none that drops a statement or half of a condition, which is what lives here. So the operators are written here,
over `ast`; what they yield are edits of the source text, so a mutant is a small diff.
"""
