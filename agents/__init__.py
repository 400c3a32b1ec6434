"""The agents: one file per job, each with its tools, instructions, checks and wiring. See README.md here."""
