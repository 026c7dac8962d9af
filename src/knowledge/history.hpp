#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "knowledge/settings.hpp"

namespace starling {

/// The directory of run records: $STARLING_HISTORY, else $XDG_DATA_HOME/starling/history, else
/// $HOME/.local/share/starling/history. Empty where STARLING_HISTORY is `off` or none of these is there. XDG_DATA_HOME
/// counts only where it is absolute, as the XDG base directory specification says, and so does HOME.
std::string history_directory(const Environment& environment);

/// The file name of a new record, <UTC yyyymmddThhmmss>-<host>-<pid>.json: sorted by name is sorted by time.
std::string record_file_name(std::chrono::system_clock::time_point time, std::string_view host, long pid);

/// The time as the record writes it, UTC in ISO 8601: "2024-05-01T12:00:00Z".
std::string in_iso_8601(std::chrono::system_clock::time_point time);

}  // namespace starling
