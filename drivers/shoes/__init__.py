"""Card shoes, one file a protocol."""
