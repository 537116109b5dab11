"""The built documentation as its readers get it: links, pages in a browser that reaches nothing, accessibility, search."""
