"""The built documentation as its readers get it: pages in a browser that reaches nothing."""
