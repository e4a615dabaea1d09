"""The named ways of finding parts to reclaim, one file each."""
