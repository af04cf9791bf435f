//! The `cutpoint` program.

fn main() {}
