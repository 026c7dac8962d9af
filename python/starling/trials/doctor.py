"""What is installed, which MPI libraries work with it, and what to do about those that do not."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from starling import __version__, files
from starling.installation import itself
from starling.installation.variants import Flavour, Variant, library
from starling.launchers.launcher import compiler_beside, identify
from starling.messages import in_one_line, printable
from starling.records import record
from starling.runs import checks, settings
from starling.trials import trial

_GPU = "GPU runtime"
"""Part of the reason where a context is native because of a GPU runtime."""
_UNTIL_CORRECTED = "until this is corrected, programs run natively"
_READABLE = 30
"""Columns needed by the text at the end of a row."""
_LAUNCHER = re.compile(r"(mpirun|mpiexec)(\.(openmpi|mpich|hydra))?|orterun|prterun|srun")


@dataclass(frozen=True)
class VariantState:
    """A variant of the library: its path (None: not built), and the MPI libraries it serves."""

    variant: str
    path: str | None
    serves: str


@dataclass(frozen=True)
class LauncherState:
    """A launcher on PATH: its identity, its variant, and the result of a run of 2 ranks."""

    path: str
    flavour: str
    version: str
    variant: str | None
    result: str
    works: bool | None


@dataclass(frozen=True)
class SettingState:
    """A setting and where it comes from. An invalid one is not in force, and neither is any other."""

    name: str
    value: str
    source: str
    valid: bool = True


@dataclass(frozen=True)
class Diagnosis:
    """All findings of `starling doctor`."""

    starling: str
    python: str
    variants: list[VariantState]
    launchers: list[LauncherState]
    settings: list[SettingState]
    settings_are_valid: bool
    advice: list[str]

    @property
    def healthy(self) -> bool:
        """Whether some launcher works."""
        return any(launcher.works for launcher in self.launchers)


def launchers_on_path(environ: Mapping[str, str]) -> list[Path]:
    """Every MPI launcher on PATH, without duplicates through links."""
    found: dict[tuple[Path, str], Path] = {}
    for folder in environ.get("PATH", "").split(os.pathsep):
        try:
            entries = sorted(Path(folder or ".").iterdir())
        except OSError:
            continue
        for entry in entries:
            if _LAUNCHER.fullmatch(entry.name) and os.access(entry, os.X_OK):
                # A wheel has one wrapper under several names in a folder: one of them is enough.
                real = entry.resolve()
                identity = identify(str(entry))
                found.setdefault(
                    (real.parent, f"{identity.flavour} {identity.version}" if identity else entry.name), entry
                )
    return list(found.values())


def _without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    return trial.environment({name: value for name, value in environ.items() if not name.startswith("STARLING_")})


def tried(launcher: Path, environ: Mapping[str, str]) -> LauncherState:
    """Runs a program of 2 ranks under this starling with the launcher, where it has a compiler beside it."""
    identity = identify(str(launcher))
    if identity is None:
        return LauncherState(str(launcher), "unknown", "", None, "not a launcher that starling knows", None)
    variant = Flavour(identity.flavour).variant if identity.flavour else None

    def state(result: str, *, works: bool | None) -> LauncherState:
        name = str(variant) if variant else None
        return LauncherState(str(launcher), identity.flavour or "slurm", identity.version, name, result, works)

    if variant is None:
        return state("the variant follows the program", works=None)
    if library(variant, environ) is None:
        return state(f"no {variant} library", works=False)
    mpicc = compiler_beside(str(launcher), identity.flavour)
    if mpicc is None:
        return state("not tried: no mpicc beside it", works=None)
    with files.temporary_folder("doctor") as folder:
        source, program, history = folder / "trial.c", folder / "trial", folder / "history"
        source.write_text(trial.PROGRAM)
        if complaint := trial.compile_c(mpicc, source, program):
            return state(f"not tried: {complaint}", works=None)
        run = [
            "run",
            "--quiet",
            "--history",
            str(history),
            "--strategy",
            "auto",
            "--",
            *trial.line(str(launcher), identity, 2),
        ]
        try:
            done = subprocess.run(
                itself.starling([*run, str(program)]),
                capture_output=True,
                text=True,
                errors="replace",
                env={**_without_settings(environ), "XDG_CONFIG_HOME": str(folder)},
                cwd=folder,
                timeout=60,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return state("2 ranks did not end within 60 s", works=False)
        said = [text.strip(" -*=") for text in done.stderr.splitlines() if text.strip(" -*=")]
        if done.returncode != 0:
            return state(f"exit status {done.returncode}: {said[0] if said else 'nothing said'}", works=False)
        try:
            seen, _ = record.read(record.latest(history))
        except record.RecordError as error:
            return state(said[-1].removeprefix("starling: ") if said else f"no usable record: {error}", works=False)
        if any(context.collective == "allreduce" for context in seen.contexts):
            return state("works: 2 ranks, seen and recorded", works=True)
        return state("ran, but its collective was not seen", works=False)


def settings_in_force(environ: Mapping[str, str]) -> tuple[list[SettingState], list[str]]:
    """Settings with their sources, defaults too; and errors in the settings files and the variables."""
    found, wrong_files = settings.without_wrong_files(
        {}, environ, settings.find_files(settings.working_folder(), environ)
    )
    described, unusable = checks.described(found)
    wrong = [*unusable, *checks.wrong(described, environ)]
    invalid = {one.name for one in wrong}
    shown = {name: SettingState(name, key.default, "default") for name, key in settings.KEYS.items() if key.default}
    history = settings.history_folder(found, environ)
    shown["history"] = SettingState("history", str(history or "off"), "default")
    shown.update(
        {name: SettingState(name, one.value, one.source, valid=name not in invalid) for name, one in found.items()}
    )
    errors = [f"correct {text}" for text in [*wrong_files, *(one.text for one in wrong)]]
    return sorted(shown.values(), key=lambda setting: setting.name), errors


def left_native(history: Path | None) -> list[str]:
    """Advice where a library loaded into the last run's processes made its collectives native."""
    try:
        last, _, _ = record.last_good(history)
    except record.RecordError:
        return []
    reasons = {one.reason for context in last.contexts for one in context.candidates if _GPU in one.reason}
    return [f"the last run was native: {why}; --host-buffers if they are in host memory" for why in sorted(reasons)]


def examine(environ: Mapping[str, str]) -> Diagnosis:
    """Checks the installation, and tries every launcher."""
    variants = [VariantState(str(v), str(library(v, environ) or "") or None, v.serves) for v in Variant]
    launchers = [tried(launcher, environ) for launcher in launchers_on_path(environ)]
    shown, wrong = settings_in_force(environ)
    advice = [*wrong, *([_UNTIL_CORRECTED] if wrong else []), *checks.unknown(environ)]
    if not launchers:
        advice.append("no MPI launcher on PATH: load your site's MPI module, or: pip install mpich")
    for launcher in launchers:
        if launcher.works is False and launcher.result.startswith("no "):
            mpicc = compiler_beside(launcher.path, launcher.flavour) or "MPICC"
            advice.append(f"for {launcher.path}: starling doctor --build {mpicc}")
        elif launcher.works is False:
            advice.append(f"{launcher.path} does not work: {launcher.result}")
    history = next((Path(one.value) for one in shown if one.name == "history" and one.value != "off"), None)
    advice += left_native(history)
    advice = list(dict.fromkeys(advice))
    return Diagnosis(__version__, platform.python_version(), variants, launchers, shown, not wrong, advice)


def as_json(diagnosis: Diagnosis) -> dict[str, object]:
    """The diagnosis as JSON values."""
    return asdict(diagnosis)


def _lines(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """A table without rules; if too wide, each row goes under its first cell. Words, and so paths, are not broken."""
    widths = [max(len(cells[i]) for cells in [columns, *rows]) for i in range(len(columns) - 1)]
    room = width - sum(widths) - 2 * len(widths)
    if room >= min(_READABLE, max(len(row[-1]) for row in rows)):
        lines = []
        for row in [columns, *rows]:
            front = "".join(f"{cell:<{space}}  " for cell, space in zip(row, widths, strict=False))
            lines += _wrapped(row[-1], width, front, " " * len(front))
        return lines
    return [
        line
        for row in rows
        for i, cell in enumerate(row)
        for line in _wrapped(cell, width, "  " * (i > 0), "  " * (1 + (i > 0)))
    ]


def _wrapped(text: str, width: int, first: str, others: str) -> list[str]:
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.rstrip() for line in lines] or [first.rstrip()]


def _print_table(console: Console, title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    console.print()
    console.print(Text(title, style="bold"))
    cells = [tuple(map(printable, row)) for row in rows]
    for line in _lines(columns, cells, console.width) if rows else ["none"]:
        console.print(Text(in_one_line(line)), soft_wrap=True)


def render(diagnosis: Diagnosis, console: Console) -> None:
    """Prints the diagnosis."""
    console.print(Text(f"starling {diagnosis.starling}, Python {diagnosis.python}"))
    variants = [(v.variant, v.path or "not built: starling doctor --build MPICC", v.serves) for v in diagnosis.variants]
    _print_table(console, "Library variants", ("variant", "library", "serves"), variants)
    launchers = [(x.path, f"{x.flavour} {x.version}", x.variant or "-", x.result) for x in diagnosis.launchers]
    _print_table(console, "Launchers on PATH", ("launcher", "MPI", "variant", "2 ranks"), launchers)
    shown = [(x.name, x.value if x.valid else f"{x.value} (invalid)", x.source) for x in diagnosis.settings]
    title = "Settings in force" if diagnosis.settings_are_valid else "Settings, not in force because of errors (below)"
    _print_table(console, title, ("setting", "value", "from"), shown)
    console.print()
    console.print(Text("Advice", style="bold"))
    for text in diagnosis.advice or ["none"]:
        for line in _wrapped(text, console.width, "", "  "):
            console.print(Text(in_one_line(line)), soft_wrap=True)
