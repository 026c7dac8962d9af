#pragma once

#include <optional>
#include <string>

#include "cost/measured_network.hpp"

namespace starling {

/// What a probe measures, and where: a job uses what an earlier one found only if all of this is the same.
struct ProbeSubject {
  std::string machine;
  std::string mpi_flavour;
  std::string mpi_version;
  int pairs = 0;        ///< of nodes that sent at once; 0: all ranks were on one node
  bool memory = false;  ///< two ranks of one node took part
  bool operator==(const ProbeSubject&) const = default;
};

/// The name of its file in the history, which no record of a run has: it does not end in `.json`.
std::string kept_network_name(const ProbeSubject& subject);

/// The text of such a file, JSON.
std::string as_json(const MeasuredNetwork& network, const ProbeSubject& subject);

/// Reads it. Throws std::runtime_error with one sentence that says what is wrong: it is damaged, of another version, or
/// tells of another subject.
MeasuredNetwork kept_network_from_json(const std::string& text, const ProbeSubject& subject);

/// What a history has of a subject; nothing if there is no such file. Throws like `kept_network_from_json`.
std::optional<MeasuredNetwork> read_kept_network(const std::string& history, const ProbeSubject& subject);

/// Keeps it in a history, which is made if it is missing, in place of what was there. Returns an error as a sentence,
/// empty if there was none.
std::string keep_network(const std::string& history, const ProbeSubject& subject, const MeasuredNetwork& network);

}  // namespace starling
