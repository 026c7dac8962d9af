"""`starling report`: a run's record, or a tuning table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starling import files
from starling.commands import history
from starling.commands.shared import (
    AsJson,
    Everything,
    commands,
    fail,
    misused,
    refuse_other_than_page,
    refuse_to_replace,
)
from starling.messages import log, not_written, printable

if TYPE_CHECKING:
    from starling.records.record import RunRecord

app = commands()


_MOST_LISTED = 3
"""Most skipped files of the history that are reported one by one."""


@app.command(epilog="Example: starling report")
def report(
    record: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RECORD]", help="A run record, a folder with records, or a tuning table; the last run by default."
        ),
    ] = None,
    from_history: history.Folder = None,
    as_json: AsJson = False,
    everything: Everything = False,
    html: Annotated[
        Path | None, typer.Option(metavar="F.html", help="Write a page with pictures instead; it loads nothing.")
    ] = None,
) -> None:
    """Show what ran in the last run, why, and what tuning cost.

    Shows the algorithms, how long the others took, and the decisions with their reasons.

    Of a tuning table: what it says, and what that gains over native.
    """
    from starling.records import record as records
    from starling.records import report as reports
    from starling.runs import settings
    from starling.terminal.console import terminal

    refuse_other_than_page(html)
    if record is not None:
        refuse_to_replace(record, "--html", html)
    if record is not None and from_history is not None:
        misused("name a record or --history, not both")
    contents = _contents(record) if record is not None else None
    if record is not None and contents is not None and b"starling-table-" in contents[:1024]:
        _report_table(contents, record, as_json=as_json, html=html)
        return

    def folder() -> Path | None:
        if from_history is not None:
            return history.folder_named(from_history)
        if record is not None and record.is_dir():
            return record
        in_force = settings.in_force({}, os.environ, settings.find_files(settings.working_folder(), os.environ))
        return settings.history_folder(in_force, os.environ)

    try:
        if record is not None and contents is not None:
            found, text = records.parse(contents, record)
        elif record is None or record.is_dir():
            found, text, skipped = records.last_good(folder())
            for why in skipped[:_MOST_LISTED]:
                log(f"skipped {why}")
            if len(skipped) > _MOST_LISTED:
                log(f"skipped {len(skipped) - _MOST_LISTED} more files of the history that are no whole records")
        else:
            fail(f"{printable(record)}: no such file; {records.listed(folder())}")
    except settings.SettingsError as error:
        fail(f"{error}; correct this, or name a record")
    except records.RecordError as error:
        fail(error)
    if html is not None:
        _write_page(found, html)
        return
    if as_json:
        typer.echo(text, nl=False)
        return
    reports.render(found, terminal(), rows=None if everything else 20)


def _write_page(found: RunRecord, file: Path) -> None:
    from starling.records import profile as profiles
    from starling.records import profile_page, run_page

    text = run_page.page(found) if found.profile is None else profile_page.page(profiles.of(found))
    try:
        files.write(file, text)
    except OSError as error:
        fail(not_written(file, error))
    log(f"page {printable(file)}")


def _contents(path: Path) -> bytes | None:
    """What a file or a pipe has, read once; None of a folder, and where nothing is."""
    try:
        return None if path.is_dir() or not path.exists() else files.read(path)
    except OSError as error:
        fail(f"{printable(path)}: {error.strerror}")


def _report_table(contents: bytes, path: Path, *, as_json: bool, html: Path | None) -> None:
    from starling.tables import table as tables
    from starling.terminal.console import terminal
    from starling.tuning import page
    from starling.tuning import report as reports

    try:
        found = tables.of(contents, path)
        if html is not None:
            page.write(found, html)
    except tables.TableError as error:
        fail(error)
    if as_json:
        typer.echo(tables.to_text(found), nl=False)
    elif html is not None:
        log(f"page {printable(html)}")
    else:
        reports.render(found, terminal())
