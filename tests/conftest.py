"""What holds for every test: none of them depends on how fast the machine is."""

from hypothesis import settings

settings.register_profile("silcrow", deadline=None)
settings.load_profile("silcrow")
