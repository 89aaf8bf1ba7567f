"""What the games of an event say about its entrants: points, tie-breaks, ratings with intervals, and bands. Pure."""
