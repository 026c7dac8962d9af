#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "knowledge/settings.hpp"

namespace starling {

/// The directory of run records: the one that is wished, else $XDG_DATA_HOME/starling/history, else
/// $HOME/.local/share/starling/history. Empty where the wish is `off` or none of these is there. XDG_DATA_HOME counts
/// only where it is absolute, as the XDG base directory specification says, and so does HOME.
std::string history_directory(const std::string& wish, const Environment& environment);

/// The file name of a new record, <UTC yyyymmddThhmmss>-<host>-<pid>.json: sorted by name is sorted by time.
std::string record_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid);

/// The file name of a record that runs were merged into: like that of a run, and told from it by how it begins.
std::string merged_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid);
bool is_merged_file_name(std::string_view name);

/// What a machine is called, so that runs find what others learnt on it: as is wished, else $SLURM_CLUSTER_NAME, else
/// the name of `host` without its domain and with `#` for its numbers, which tell the nodes of a cluster apart: "node#"
/// for node017.cluster.
std::string machine_name(const std::string& wish, const Environment& environment, std::string_view host);

/// This host, as it calls itself.
std::string host_name();

/// The time as the record writes it, UTC in ISO 8601: "2024-05-01T12:00:00Z".
std::string in_iso_8601(std::chrono::system_clock::time_point time);

}  // namespace starling
