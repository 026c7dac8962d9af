"""One Slurm for all of these tests."""

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from slurm.cluster import Cluster, slurm

NEEDED = ("slurmctld", "slurmd", "srun", "munged")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    missing = [name for name in NEEDED if shutil.which(name) is None and not Path(f"/usr/sbin/{name}").exists()]
    assert not missing, f"{missing} not installed: make test-packages"
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))  # Slurm sets it for ranks as well
    with slurm(f"sslurm{os.getpid()}", "single:2", tmp_path_factory.mktemp("slurm")) as up:
        yield up
