//! Terms that every app has.
