"""What users of comparable tools ran into, and what must hold instead: a folder per class."""
