#pragma once

#include <cstdint>

#include "runtime/call/call.hpp"

namespace starling {

/// What one buffer of a call is on one rank.
enum class Given : std::uint8_t {
  anything,   ///< not significant, nor its counts and types
  data,       ///< significant, or the library checks it all the same
  in_place,   ///< MPI_IN_PLACE where MPI allows it: its counts and types are not significant
  misplaced,  ///< MPI_IN_PLACE where MPI does not allow it
};

struct GivenBuffers {
  Given send;  ///< of a broadcast: anything, for its one buffer is `recvbuf`
  Given receive;
};

GivenBuffers given_buffers(const Call& call, int rank);

}  // namespace starling
