"""The tutorial for those who submit jobs, as printed."""

import shutil
from pathlib import Path

from documents.console import run_page
from slurm.cluster import NETWORK, Cluster
from starling.lab.launch import entering
from support.mpis import ROOT


def test_the_tutorial_for_slurm_is_as_printed(cluster: Cluster, tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples/power_iteration/power_iteration.c", tmp_path)
    env = {"SLURM_CONF": str(cluster.folder / "slurm.conf"), **NETWORK}
    run_page(ROOT / "docs/tutorials/slurm.md", tmp_path, entering(cluster.state, cluster.hosts[0], []), env)
