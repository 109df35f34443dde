"""Punto Banco itself: cards, the third-card rule, coups, wagers and money, as pure values and functions."""
