"""Deliberate breaks: every one has to turn its test red."""
