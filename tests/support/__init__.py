"""Makers that several tests share."""
