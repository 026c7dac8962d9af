"""An input of a fuzzer that takes too long by the clock has failed only if it takes too long by itself (tests/fuzz)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "fuzz/run.sh"
READER = """
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Ends before the clock ends it.
  while (text == "slow" && std::clock() < 3 * CLOCKS_PER_SEC) {
  }
  // As where other work has the processor while it is read for the first time.
  if (text == "once" && std::fopen("was-read", "wx") != nullptr)
    while (true) pause();
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzzer")
    source, found = folder / "reader.cpp", folder / "fuzz_reader"
    source.write_text(READER)
    subprocess.run(["clang++-14", "-std=c++17", "-O1", "-fsanitize=fuzzer", source, "-o", found], check=True)
    return found


def fuzzed(program: Path, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "build-test/fuzz").mkdir(parents=True)
    (folder / "build-test/fuzz/fuzz_reader").symlink_to(program)
    corpus = folder / "tests/fuzz/corpus/reader"
    corpus.mkdir(parents=True)
    (corpus / "input").write_text(text)
    line = ["env", "FUZZ_SECONDS=1", "sh", str(RUN), "reader", "100", "-seed=1"]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_an_input_that_is_slow_by_itself_too_fails_and_is_kept(program: Path, tmp_path: Path) -> None:
    found = fuzzed(program, tmp_path, "slow")
    assert found.returncode == 1
    (kept,) = (tmp_path / "build-test/fuzz").glob("reader-timeout-*")
    assert kept.read_text() == "slow"
    assert kept.name in found.stdout


def test_an_input_that_was_slow_only_once_does_not_fail_and_the_rest_is_read(program: Path, tmp_path: Path) -> None:
    found = fuzzed(program, tmp_path, "once")
    assert found.returncode == 0, found.stdout
    busy, last = found.stdout.splitlines()
    assert busy == "reader: an input took 1 s, but not by itself: the machine was busy"
    assert last == "reader: 100 inputs"
    assert list((tmp_path / "build-test/fuzz").glob("reader-timeout-*")) == []
