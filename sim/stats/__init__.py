"""Tables in, estimates out: sums of matches, intervals and the definition of every figure. No files, no pictures."""
