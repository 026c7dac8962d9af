#pragma once

#include <cstdint>
#include <vector>

#include "neighborhood/implementation.hpp"
#include "neighborhood/rounds.hpp"

namespace starling::neighborhood {

/// What is done in a step of an exchange. The executor and the checker carry out the same steps.
enum class Act : std::uint8_t {
  copy,          ///< a block that a rank sends to itself
  pack,          ///< the block to send becomes plain bytes
  unpack,        ///< what was received goes where it belongs
  irecv,         ///< posts the receive of the round
  isend,         ///< posts its send
  wait_receive,  ///< until what was posted is complete
  wait_send,
  send,
  receive,
  sendrecv,
  fence_open,   ///< the first of a start: no epoch precedes it
  fence_next,   ///< closes an epoch and opens the next
  fence_close,  ///< the last of a start: none follows
  post,         ///< exposes the memory to the ranks of the group
  start,        ///< begins to access the memory of the ranks of the group
  put,          ///< the block to send goes to where the receiver wants it
  get,          ///< the block to receive is fetched from where the sender has it
  complete,     ///< ends what `start` began
  wait_exposed  ///< ends what `post` began: until every rank of its group has completed
};

struct Step {
  Act act;
  int number;      ///< of the round, or, for post and start, of the group
  int window = 0;  ///< one-sided: in which window of the same memory
  bool operator==(const Step&) const = default;
};

/// Whether a step may wait for other ranks, so that what must not block stops before it. The two waits can be tested.
constexpr bool blocks(Act act) {
  switch (act) {
    case Act::copy:
    case Act::pack:
    case Act::unpack:
    case Act::irecv:
    case Act::isend:
    case Act::post:
    case Act::put:
    case Act::get: return false;
    default: return true;
  }
}

/// What one rank does in one exchange.
struct Steps {
  std::vector<Step> all;
  std::vector<std::vector<int>> groups;  ///< ranks in ascending order, without duplicates
  /// How many windows it needs, the same on all ranks. Each group of partners that posts and starts has one of its own:
  /// MPICH counts the posts in a window without asking from whom they are, and would take that of a rank which is
  /// already in its next epoch for one of this epoch.
  int windows = 0;
};

/// The steps of `rank` in an implementation. Those before the first that blocks are what a nonblocking start does.
Steps steps_of(const Rounds& rounds, int rank, const Implementation& implementation);

}  // namespace starling::neighborhood
