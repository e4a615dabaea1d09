"""Settings and the table of models."""
