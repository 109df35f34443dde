"""punto: conducts one Punto Banco table from card shoe to display."""

__version__ = "0.1.0"
