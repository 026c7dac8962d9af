#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "knowledge/settings.hpp"

namespace starling {

/// The directory of run records: `requested`, else $XDG_DATA_HOME/starling/history, else
/// $HOME/.local/share/starling/history. Empty if `requested` is `off` or none of these is set. XDG_DATA_HOME counts
/// only if it is absolute, as the XDG base directory specification says, and so does HOME.
std::string history_directory(const std::string& requested, const Environment& environment);

/// A text for use in a file name: letters, digits, dots, dashes, and `_` for all else.
std::string in_file_name(std::string_view text);

/// The file name of a new record, <UTC yyyymmddThhmmss>-<host>-<pid>.json: the order of names is the order of times.
std::string record_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid);

/// The file name of a merged record: like that of a run, with another prefix.
std::string merged_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid);
bool is_merged_file_name(std::string_view name);
/// Whether a name is one that `record_file_name` gives.
bool is_run_file_name(std::string_view name);

/// The name of a machine, by which runs find the records of others: `requested`, else $SLURM_CLUSTER_NAME, else the
/// name of `host` without its domain and with `#` for its numbers, which differ between the nodes of a cluster: "node#"
/// for node017.cluster.
std::string machine_name(const std::string& requested, const Environment& environment, std::string_view host);

/// This host's own name.
std::string host_name();

/// The time in a record's format, UTC in ISO 8601: "2024-05-01T12:00:00Z".
std::string in_iso_8601(std::chrono::system_clock::time_point time);
/// Whether a text is a time in that format, or a date alone.
bool is_iso_8601(std::string_view text);

}  // namespace starling
