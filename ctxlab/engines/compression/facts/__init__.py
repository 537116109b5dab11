"""Facts of texts: numbers, dates, names, paths, identifiers, quotations, rules and decisions."""
