"""An environment with nothing but what is installed into it, and commands that run in it, away from the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter

UV = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


class FreshEnvironment:
    """A virtual environment in a folder of its own; `work` is an empty folder in which its commands run."""

    def __init__(self, folder: Path) -> None:
        if UV is None:
            raise SystemExit("make package needs uv, which `make demo` installs where the index is reachable")
        self.folder, self.work = folder, folder / "work"
        self.work.mkdir(parents=True)
        self.site = folder / "venv"
        subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, str(self.site)], check=True)

    def install(self, what: str) -> float:
        """Seconds that it takes to install something; raises CalledProcessError where it can't be."""
        assert UV is not None
        start = perf_counter()
        command = [UV, "pip", "install", "--quiet", "--python", str(self.site / "bin" / "python"), what]
        subprocess.run(command, cwd=self.work, check=True, env=self._env())
        return perf_counter() - start

    def run(self, *command: str) -> str:
        """What a command of the environment prints; raises SystemExit with what it complained of where it fails."""
        line = [str(self.site / "bin" / command[0]), *command[1:]]
        done = subprocess.run(line, cwd=self.work, env=self._env(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)[:200]} failed:\n{done.stdout[-2_000:]}\n{done.stderr[-4_000:]}")
        return done.stdout

    def run_once(self, wheel: Path, *command: str) -> float:
        """Seconds in which uv runs a command of a wheel that isn't installed, as `uvx --from` does."""
        assert UV is not None
        start = perf_counter()
        line = [UV, "tool", "run", "--quiet", "--isolated", "--python", sys.executable, "--from", str(wheel), *command]
        subprocess.run(line, cwd=self.work, check=True, env=self._env(), capture_output=True)
        return perf_counter() - start

    @property
    def megabytes(self) -> float:
        """Size of all that is installed."""
        files = (path for path in self.site.rglob("*") if path.is_file() and not path.is_symlink())
        return sum(path.stat().st_size for path in files) / 1e6

    def _env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return {**kept, "PYTHONWARNINGS": "error::ImportWarning", "NO_COLOR": "1"}
