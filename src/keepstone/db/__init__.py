"""Opens, reads, writes, migrates and repairs the database. Imports nothing here, because hooks load
`db.reader` alone.
"""
