"""`python -m keepstone` and the console script: the command line."""

from keepstone.cli.main import main

if __name__ == "__main__":
    main()
