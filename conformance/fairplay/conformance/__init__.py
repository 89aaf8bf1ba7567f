"""The suite that certifies players and servers.

What every room knows: `case` (declarations, and how a case ends), `case_ids`, `evidence`. The rooms, each of which
imports those before it only, but for a formatter of `run.options`:

- `player/`: the player under test, how it is reached, called and let go of;
- `games/`: the games that it is tried in: trials, rivals, races, positions, settings, and the context that plays them;
- `blame/`: which case a failure belongs to, found out by playing again, and the verdicts;
- `cases/`: the cases for players;
- `run/`: options, plan, judging in one process or several, the report and its certificate;
- `writers/`: the files that a run leaves;
- `servers/`: the cases for servers, and what they work with;
- `zoo/`: players with one defect each, on which the suite is tried.

`must` freezes the MUST cases of a revision, `plugin` is for pytest.
"""
