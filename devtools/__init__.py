"""Tools for people who work on the project: the stand-in model and the fake Ollama server."""
