#pragma once

#include <string>

#include "bindings/entry.hpp"

namespace starling {

/// The library that serves this process, for the MPI that is loaded in it.
struct Variant {
  void* library = nullptr;         ///< from dlopen; null if there is none
  EntryFunction* entry = nullptr;  ///< null too where another library of Starling's in the program serves it
  std::string path;
};

/// Opens it at the first call, when MPI is loaded; rank 0 says in one line why there is none.
const Variant& variant();

/// The address of a function of Starling's own interface, in the library that serves this process. Null before MPI is
/// loaded, and where there is none.
void* function_of_variant(const char* name);

}  // namespace starling
