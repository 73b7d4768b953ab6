"""`python -m cairn` and the console script: the command line."""

from cairn.cli import main

if __name__ == "__main__":
    main()
