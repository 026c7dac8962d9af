#pragma once

namespace starling {

/// How libstarling.so (src/chooser) and a variant come together: the variant exports a function of this type under
/// `entry_name`, and is given the caller's `next_symbol`, for its own does not see what stands behind the caller.
///
/// The address of the variant's function for an exported name of MPI; null if it has none.
using EntryFunction = void*(const char* name, void* (*next)(const char* name, bool anywhere));
inline constexpr const char* entry_name = "starling_entry";

}  // namespace starling
