"""Table displays, one file a protocol."""
