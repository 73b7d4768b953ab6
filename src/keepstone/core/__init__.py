"""Pure decisions: values in, values out; no clock, environment, randomness or I/O."""
