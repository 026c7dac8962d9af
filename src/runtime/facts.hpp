#pragma once

#include <cstdint>

#include "algorithms/algorithm.hpp"
#include "runtime/call.hpp"

namespace starling {

/// What a choice may depend on: equal on all ranks by the MPI standard (STRATEGIES.md, "Call key").
struct CallKey {
  std::int64_t bytes;  ///< per rank and peer block; -1 where ranks cannot all know it
  bool commutative;
  bool built_in;  ///< the operator
  bool in_place;
  bool bucket = false;  ///< stands for all sizes from `bytes` up to twice that
  bool operator==(const CallKey&) const = default;
};

/// What the runtime knows of a call before it chooses.
struct Facts {
  CallKey key;
  std::int64_t units;  ///< bytes, or elements of a reduction, of all blocks together
  Situation situation;
};

/// Looks at the arguments of `call` on an intracommunicator of `ranks` ranks. False when they are such that only the
/// MPI library can tell the application what is wrong with them, in its own words.
bool facts_of(const Call& call, int ranks, int rank, Facts& facts);

/// The key of the power-of-two bucket that a size falls in.
CallKey bucket_of(CallKey key);

}  // namespace starling
