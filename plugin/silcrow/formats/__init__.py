"""One file per wire format of messages."""
