"""What we ship for tests: a scripted agent."""
