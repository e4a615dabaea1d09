"""What a person may ask of a session."""
