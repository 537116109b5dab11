"""The nearest change that makes a blocked entry fire, or a firing one not."""
