"""Runs recorded sessions through the plugin."""
