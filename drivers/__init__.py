"""Wires and devices: card shoes, table displays and the lines between them. Imports nothing of the controller."""
