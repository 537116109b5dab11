"""A session tree as a graph, a frame and a figure."""
