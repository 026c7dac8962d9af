#pragma once

#include <cstdint>
#include <string>

namespace starling {

/// Bytes that processes like this one can still have, with those of files that are only cached: what the system has,
/// or less where a control group is limited that this process is in, as batch systems and containers do it. All
/// processes of the machine, or the group, share them. 0 if it is not known. `root` is the folder in which `proc` and
/// `sys` are.
std::int64_t available_memory(const std::string& root = "");

}  // namespace starling
