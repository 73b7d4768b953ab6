"""What `cairn setup` changes in a user's own files at a person's word, and how `cairn uninstall` takes it back."""
