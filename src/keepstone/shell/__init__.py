"""Shell command lines: parse, what a command does, whether it breaks a rule, whether it may run unasked. Pure, hot."""
