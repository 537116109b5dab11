"""`make package`: the wheel and the sdist, tried in environments that have nothing else."""
