"""The macro engine that SillyTavern 1.19 has by default: strictly left to right, inner macros before outer ones.

`grammar` finds the macros of a text, `evaluation` gives them values, `pieces` keep what was typed apart from what was
put, `shorthand` are variables as `{{.x = 1}}`. All of it is measured against the program itself.
"""
