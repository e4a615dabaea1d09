"""Whole random sessions through the plugin, on a real database, and what must hold in them."""
