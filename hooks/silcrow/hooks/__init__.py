"""What happens to a message list on its way to the model: pure functions, no I/O."""
