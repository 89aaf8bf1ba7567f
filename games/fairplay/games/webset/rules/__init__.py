"""The rules of Webset, pure (webset.md sections 1 to 6).

Nobody's turn comes: while the table is open any player may act, and the first act counts. `acts` has what each act does
in each phase, `takes` what becomes of cards that players pick, and `state` the game and its dealing.
"""
