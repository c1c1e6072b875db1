//! What is wrong with a dictionary, named with its place.
