"""What the reference program really does, case by case, against ctxlab: equal, better on purpose, or still to come."""
