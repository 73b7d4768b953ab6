"""Defines memory, hit, candidate, scope, filter, relationship, anchor, tier, policies and importance. Pure."""
