"""An agent without a model: a fixed script that really works on a copy of this repository."""
