"""Knowledge: embedders of texts, and the rankers that stand on them."""
