"""Counting tokens without a network."""
