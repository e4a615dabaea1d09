"""Readers of recorded sessions, one file per host."""
