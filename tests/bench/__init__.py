"""What a pass costs, as ratios measured in one run: `make bench`."""
