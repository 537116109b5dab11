"""The macro engine that SillyTavern has by default since 1.16: strictly left to right, inner macros before outer ones.

`grammar` finds the macros of a text, `evaluation` gives them values, `pieces` keep what was typed apart from what was put,
`shorthand` are variables as `{{.x = 1}}`, `table` names every macro. Measured against the program itself, 1.19.0.
"""
