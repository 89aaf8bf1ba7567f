"""Nim, a game for Fairplay."""
