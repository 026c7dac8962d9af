#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starling::replay {

/// The recorded times of one candidate.
struct RecordedCandidate {
  std::string name;
  std::string group;
  std::string kind;
  double seconds_to_begin = 0;                                  ///< that the first of its kind probably takes besides
  std::vector<std::pair<std::string, std::string>> attributes;  ///< names and values
  std::optional<double> predicted_s;                            ///< by the cost model
  std::vector<double> seconds;  ///< of successive calls on the slowest rank; at least one, each more than 0
};

/// The recorded times of one context: bench/matrices.py describes the format of a file of them.
struct Matrix {
  std::string what;  ///< the collective
  std::int64_t bytes = 0;
  std::string platform;
  std::string mpi;
  int ranks = 0;
  int nodes = 0;
  std::vector<RecordedCandidate> candidates;  ///< native first, if the program does not bring its own
};

/// The matrices of a file's text. Throws std::runtime_error with one sentence that says what is wrong where.
std::vector<Matrix> matrices_from_json(const std::string& text);

}  // namespace starling::replay
