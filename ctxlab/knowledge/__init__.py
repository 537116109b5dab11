"""Knowledge: embedders of texts, and rankers and indexes that stand on them."""
