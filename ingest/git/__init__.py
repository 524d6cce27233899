"""Facts of one Git repository: commits, changes, deliveries, line classes, removed lines, references.

Each layer imports only the layers below it; import-linter checks the order (`pyproject.toml`):

    extract                              whether a run is needed, and from which state it starts
    run                                  one run: commits in, batches of facts out
    cache_validity, delivery_lines       whether stored facts may stay; one delivery after the other
    rows/                                rows of the raw tables
    classify/                            the class of each delivered line
    blame/, deliveries                   the author commit of each line; steps of the default branch
    changes/                             the changes of one commit, read by worker processes
    files/, messages/                    facts of a file as a whole; facts from commit messages
    lexing/, diff/, repository_source    tokens of lines; differences; from a path or an address to a repository
    remote/, identifiers                 clones of remote repositories; ids
    objects/                             commits, trees, refs and contents
"""
