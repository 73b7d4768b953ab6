"""Changes the user's own files for `keepstone setup`, and undoes these changes for `keepstone uninstall`."""
