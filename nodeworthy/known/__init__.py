"""Facts of the world, as data with their provenance. The next release of anything is a change of data."""
