//! Joining, on cases worked out by hand.
