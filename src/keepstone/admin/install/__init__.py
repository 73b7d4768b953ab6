"""What `keepstone setup` changes in a user's own files at a person's word, and how `keepstone uninstall` takes it
back.
"""
