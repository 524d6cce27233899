"""Differences between trees and between texts, as Git draws them."""
