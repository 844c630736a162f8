"""The mainline game: a Division dealt from a deck of cards, and a day of trains that cross it."""
