"""The mainline game: a Division dealt from a deck, and a day of trains that cross it."""
