"""Whether the files a memory quotes still say it."""
