#pragma once

namespace starling {

/// The last character of the name of a communicator or datatype that is being freed, and whose attribute is gone. Only
/// the MPI object can hold this mark: MPI may reuse the handle at once, and may delete the program's attributes later,
/// when the last message has arrived.
inline constexpr char being_freed = '\x7f';

/// How long a name of so many characters is for the program: the mark is not its.
inline int length_without_mark(const char* name, int length) {
  return length > 0 && name[length - 1] == being_freed ? length - 1 : length;
}

}  // namespace starling
