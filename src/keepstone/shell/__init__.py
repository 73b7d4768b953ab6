"""Shell command lines: parsing, the effect of a command, whether it breaks a rule, whether it may run unasked. Pure,
hot.
"""
