#include "knowledge/variables.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string_view>

namespace starling {
namespace {

constexpr std::string_view prefix = "STARLING_";

/// What the library reads, without the prefix; then what other parts do: starling run, the lab, the build, the tests.
constexpr std::array<std::string_view, 24> known{
    "STRATEGY", "HISTORY", "RECORD",     "REPRODUCIBLE", "ONLY",      "EXCEPT",   "ITER",       "EPSILON",
    "SAMPLES",  "SIZES",   "PLATFORM",   "DELTA_LIMIT",  "EXPLAINED", "LAB",      "LAB_PREFIX", "IDLE_US",
    "MPI",      "MPICC",   "BENCHMARKS", "TESTS",        "WERROR",    "SANITIZE", "ABI",        "VERSION"};
constexpr std::size_t readable = 12;
constexpr std::string_view of_tests = "TEST_";

/// Letters to put in, take out or change to make one of the other (Levenshtein).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The variable that was probably meant; empty where none is near.
std::string_view meant(std::string_view name) {
  std::string_view nearest;
  std::size_t least = 3;
  for (const std::string_view candidate : std::span(known).first(readable)) {
    const bool begins = name.starts_with(candidate) || (name.size() > 2 && candidate.starts_with(name));
    const std::size_t away = begins ? 1 : distance(name, candidate);
    if (away < least) {
      least = away;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace

std::vector<std::string> unknown_variables(const char* const* environment) {
  std::vector<std::string> sentences;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (!entry.starts_with(prefix)) continue;
    const std::string_view variable = entry.substr(0, entry.find('='));
    const std::string_view name = variable.substr(prefix.size());
    if (name.starts_with(of_tests) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string sentence = std::string(variable) + " is unknown and ignored";
    if (const std::string_view near = meant(name); !near.empty())
      sentence.append("; did you mean ").append(prefix).append(near).append("?");
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

void record_explained() {
  const char* path = ::secure_getenv("STARLING_EXPLAINED");
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;  // on another node, or starling run has ended
  struct stat there {};
  constexpr char library = 'l';
  if (::fstat(file, &there) == 0 && S_ISREG(there.st_mode)) static_cast<void>(!::write(file, &library, 1));
  ::close(file);
}

}  // namespace starling
