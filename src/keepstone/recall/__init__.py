"""Finding memories."""
