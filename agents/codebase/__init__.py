"""What is behind the codebase helper: a fence round a folder, and a way to find things inside it.

Read in this order, each module one idea:

    secret_names.py   which names hold secrets, and which folders are never entered
    refusals.py       what is refused, in words, and names as they are shown
    nofollow.py       opening and listing without following any link
    fence.py          a folder whose files can be opened, and nothing outside it
    ignore.py         .gitignore and .agentignore, without running git
    lines.py          lines of a file of any size, cut and escaped for a model
    sources.py        which files there are, by a walk that is a loop
    kinds.py          what each file is, and why a search leaves some out
    words.py          words, stems and split identifiers
    passages.py       a file cut into passages, with the names that each defines
    cache.py          where an index lives
    index.py          the passages in SQLite's full-text index, up to date with the files
    related.py        words that programmers use for the same things
    ranking.py        from a question to the files that probably answer it
    pinpoint.py       from their best passages to the lines that are shown
    folder.py         search, read and list in one folder
    workspace.py      several folders as if they were one, and the answers for a model
    mentions.py       the files and lines that an answer speaks of
    denials.py        whether an answer says that a file is not there
    shown.py          which files and lines the tools returned
    grounding.py      judging files and lines by what was shown
    numbers.py        judging the numbers of an answer by the lines that it cites
    check.py          all of that as one check
    conversation.py   questions that follow one another

`agents/codebase_helper.py` makes tools, checks and an agent of them.
"""
