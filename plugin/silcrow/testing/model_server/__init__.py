"""A model provider on this machine that says what a script says, and takes nothing illegal."""

from silcrow.testing.model_server.replies import Call, Failure, Reply, Step, read_script
from silcrow.testing.model_server.requests import Received
from silcrow.testing.model_server.server import ModelServer

__all__ = ["Call", "Failure", "ModelServer", "Received", "Reply", "Step", "read_script"]
