"""The agents: one file or package per job, with its tools, instructions, checks and wiring. See README.md here."""
