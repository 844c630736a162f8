"""The dispatch game: two companies, their trains and a map."""
