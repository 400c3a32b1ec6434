"""What is behind the codebase helper: a fence round a folder, and a way to find things inside it.

Read in this order, each module one idea:

    secret_names.py   which names hold secrets, and which folders are never entered
    fence.py          files are opened by a walk from the root that follows no link
    ignore.py         .gitignore and .agentignore, without running git
    sources.py        which files of a folder count, and why the others do not
    lines.py          lines of a file of any size, cut and escaped for a model
    words.py          words, stems and split identifiers
    passages.py       a file cut into passages, with the names that each defines
    index.py          the passages in SQLite's full-text index, outside the folder
    ranking.py        from a question to the best passages
    pinpoint.py       from the best passages to the best lines
    folder.py         search, read and list over one folder, or several as if they were one
    mentions.py       the files and lines that an answer speaks of
    grounding.py      judging those against what the tools returned

`agents/codebase_helper.py` makes tools, checks and an agent of them.
"""
