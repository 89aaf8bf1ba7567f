"""Tests of the suite for servers."""
