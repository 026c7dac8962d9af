#pragma once

#include <cstdint>

namespace starling {

/// The facts that a choice may depend on. By the MPI standard they are equal on all ranks (docs/run-record.md).
struct CallKey {
  std::int64_t bytes;  ///< per rank and peer block; -1 where not all ranks can know it
  bool commutative;    ///< the operator
  bool built_in;       ///< the operator
  bool in_place;
  bool bucket = false;          ///< stands for all sizes from `bytes` up to, but without, `up_to`
  std::int64_t up_to = 0;       ///< of a bucket; 0 where `bytes` is not known
  bool large_elements = false;  ///< of a reduction (Situation)
  bool operator==(const CallKey&) const = default;
};

}  // namespace starling
