"""`ctxlab review`: conversations of a git checkout, built as they are and as they were at another commit."""
