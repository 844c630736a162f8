"""Studies: which runs to make and which estimates to take of them."""
