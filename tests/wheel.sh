#!/bin/sh
# Tries a wheel as on a machine without a compiler: as root, in a mount namespace in which none can work, in a fresh
# environment with MPICH and mpi4py from PyPI.  unshare --mount sh tests/wheel.sh WHEEL
set -eu
wheel=$1
mount -t tmpfs none /usr/lib/gcc
mount -t tmpfs none /usr/include
folder=$(mktemp -d)
remove=$(command -v rm)
trap '"$remove" -rf "$folder"' EXIT
mkdir "$folder/tools"
for one in sh bash cat env sed grep tr basename dirname hostname uname; do
  ln -s "$(command -v $one)" "$folder/tools/"
done
python3 -m venv "$folder/venv"
cd "$folder"
PATH=$folder/venv/bin:$folder/tools
HOME=$folder
export PATH HOME
pip install --quiet --disable-pip-version-check --only-binary :all: "$wheel" mpich==5.0.2 mpi4py==4.1.2
for one in cc c++ gcc g++ clang cmake ninja make; do
  if command -v $one >/dev/null; then echo "$one is there: this is not a machine without a compiler"; exit 1; fi
done
starling doctor
cat >program.py <<'PROGRAM'
import array
from mpi4py import MPI
mine, total = array.array("d", [MPI.COMM_WORLD.rank + 1] * 4096), array.array("d", [0] * 4096)
for _ in range(200):
    MPI.COMM_WORLD.Allreduce(mine, total)
assert set(total) == {3.0}
PROGRAM
starling run --quiet -- mpiexec -n 2 python3 program.py
starling report | grep -q "^allreduce .* 32 KiB .* 2 .* 200 "
cat venv/share/man/man1/starling-run.1 >page
grep -q 'starling run' page
echo "works without a compiler"
