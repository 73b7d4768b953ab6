"""The nouns: memory, hit, candidate, scope, filter, relationship, anchor, tier, policies, importance. Pure."""
