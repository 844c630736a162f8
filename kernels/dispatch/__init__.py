"""The dispatch game: two companies, two trains each, simultaneous secret orders."""
