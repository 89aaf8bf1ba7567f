"""Games as the server plays them: the referee, running games, their transcripts and plans, and their spectators."""
