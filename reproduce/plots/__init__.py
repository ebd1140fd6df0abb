"""Draws the tables that `spodnet-reproduce` writes: one module for each figure of the paper."""
