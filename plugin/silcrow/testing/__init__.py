"""What we ship for tests: a scripted agent, and a server that plays a model provider."""
