"""One table's conduct: inputs in, a new state and events out. Pure: no I/O, no clock, no randomness."""
