"""JavaScript's numbers and string offsets."""
