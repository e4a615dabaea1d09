"""The object that a host loads."""
