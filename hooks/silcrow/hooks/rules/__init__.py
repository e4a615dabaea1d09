"""What every provider demands of a request, one file each."""
