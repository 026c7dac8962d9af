"""How many arguments the options of launchers and of wrapping commands take, to find the program behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


def _values(two: str, one: str) -> Mapping[str, int]:
    return {**dict.fromkeys(one.split(), 1), **dict.fromkeys(two.split(), 2)}


OPENMPI = _values(
    two="mca gmca prtemca pmixmca",
    one="""n np c N H host hostfile machinefile default-hostfile x wdir wd set-cwd-to-session-dir-of
    map-by rank-by bind-to npernode npersocket ppr cpus-per-proc cpus-per-rank cpu-set cpu-list slot-list rf rankfile
    app output output-filename display report-uri stdin timeout path prefix preload-files tune am tmpdir debugger dvm
    personality max-restarts max-vm-size server-wait-time ompi-server dvm-uri runtime-options with-ft""",
)
"""Open MPI 4 and 5 (with PRRTE): options without their dashes; options not listed take no argument."""

HYDRA = _values(
    two="genv env",
    one="""n np f hosts host hostfile machinefile machine wdir wd dir path arch configfile genvlist envlist launcher
    launcher-exec bootstrap bootstrap-exec rmk bind-to map-by membind topolib iface ppn perhost prepend-pattern
    outfile-pattern errfile-pattern nameserver localhost usize gpus-per-proc demux umask branch-count gtool""",
)
"""MPICH's and Intel's Hydra."""

SRUN = _values(
    two="",
    one="""n N c w x p A t J o e i D m C d L T r q M G S b ntasks nodes cpus-per-task nodelist nodefile exclude
    partition account time job-name output error input mpi export export-file cpu-bind mem-bind distribution chdir mem
    mem-per-cpu mem-per-gpu gres gpus gpus-per-node gpus-per-task gpu-bind gpu-freq qos constraint ntasks-per-node
    ntasks-per-core ntasks-per-socket ntasks-per-gpu reservation dependency signal begin jobid clusters
    cores-per-socket het-group sockets-per-node threads-per-core hint licenses network prolog epilog propagate
    relative core-spec task-prolog task-epilog tmp wckey""",
)
"""Slurm's srun; an option's argument may also follow a `=`."""


class Wrapper(NamedTuple):
    """A command that runs the command behind its own options."""

    values: Mapping[str, int]
    positionals: int = 0
    assignments: bool = False


WRAPPERS: Mapping[str, Wrapper] = {
    "timeout": Wrapper(_values("", "s k signal kill-after"), positionals=1),
    "env": Wrapper(_values("", "u C unset chdir"), assignments=True),
    "nice": Wrapper(_values("", "n adjustment")),
    "ionice": Wrapper(_values("", "c n class classdata")),
    "numactl": Wrapper(_values("", "m N C p i l membind cpunodebind physcpubind preferred interleave")),
    "stdbuf": Wrapper(_values("", "i o e input output error")),
    "taskset": Wrapper({}, positionals=1),
    "time": Wrapper(_values("", "f o format output")),
    "nohup": Wrapper({}),
    "setsid": Wrapper({}),
}


def behind_options(words: Sequence[str], values: Mapping[str, int]) -> int:
    """The number of words at the front that are options or their arguments; a `--` that ends options counts too."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return at + 1
        name = words[at].lstrip("-")
        at += 1 if "=" in name else 1 + values.get(name, 0)
    return min(at, len(words))
