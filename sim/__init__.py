"""dispatch-balance: a Monte Carlo laboratory for tuning the balance of a board game."""
