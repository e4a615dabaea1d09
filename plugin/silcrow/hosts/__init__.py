"""Adapters: one module per host, which translates and holds no policy."""
