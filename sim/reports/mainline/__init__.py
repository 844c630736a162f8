"""Reports of the mainline game."""
