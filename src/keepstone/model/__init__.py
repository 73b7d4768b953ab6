"""The nouns: Memory row, Hit, Candidate, Scope, Filter, Relationship, Anchor, Tier, Policies, Importance, reports. Pure."""
