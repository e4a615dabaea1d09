"""An independent judge of the wire files that `silcrow simulate FILE --wire OUT` writes.

Nothing here imports `silcrow`: the laws are written a second time, from the description alone.
"""
