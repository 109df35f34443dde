"""The table's computer: files, ports, clock and people around the pure table."""
