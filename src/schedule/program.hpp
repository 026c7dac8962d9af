#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/flat_schedule.hpp"
#include "schedule/layout.hpp"
#include "schedule/schedule.hpp"

namespace starling {

/// What the executor does in a step: a switch over it has no default, so that the compiler names those it lacks.
enum class StepKind : std::uint8_t {
  send,         ///< one message; as in the next two, MPI can count its units in an int
  receive,      ///< one message
  exchange,     ///< one message received and one sent, at once
  messages,     ///< any number of messages at once
  native_part,  ///< a collective of the MPI library
  sharing,      ///< publications and takes in memory that ranks share
  copy,         ///< local work, one after the other
  combine,      ///< local work, one after the other
};

/// A step, and what it takes from the flat arrays of its program.
struct Step {
  StepKind kind;
  std::int32_t first;  ///< of the messages, native parts, sharings or works
  std::int32_t count;
  std::int32_t sends;  ///< how many of its messages are, after its receives
  [[nodiscard]] std::int32_t receives() const { return count - sends; }
};

/// How many messages a step has.
constexpr std::int32_t messages_in(const Step& step) {
  switch (step.kind) {
    case StepKind::send:
    case StepKind::receive:
    case StepKind::exchange:
    case StepKind::messages: return step.count;
    case StepKind::native_part:
    case StepKind::sharing:
    case StepKind::copy:
    case StepKind::combine: return 0;
  }
  return 0;
}

/// A schedule made ready to run on calls of one layout: flat, with every size and offset known. Messages of blocks that
/// turn out empty are gone (both ends know); zero-byte signals remain.
struct Program {
  std::vector<Step> steps;
  std::vector<Message> messages;
  std::vector<Work> works;
  std::vector<NativePart> natives;
  std::vector<int> shares;  ///< of native parts whose members have blocks of different sizes
  std::vector<BoundSharing> sharings;
  std::vector<BoundPublication> publications;
  std::vector<BoundTake> takes;
  std::vector<std::int32_t> readers;  ///< of publications
  std::vector<std::int64_t> scratch;  ///< units of each scratch buffer
  int most_messages = 0;              ///< in one step
  /// Bytes of memory.
  [[nodiscard]] std::size_t bytes() const;
};

/// What a sharing of `program` takes from its flat arrays.
inline std::span<const BoundPublication> publications_of(const Program& program, const BoundSharing& sharing) {
  return std::span(program.publications)
      .subspan(static_cast<std::size_t>(sharing.first_publication), static_cast<std::size_t>(sharing.publications));
}
inline std::span<const BoundTake> takes_of(const Program& program, const BoundSharing& sharing) {
  return std::span(program.takes)
      .subspan(static_cast<std::size_t>(sharing.first_take), static_cast<std::size_t>(sharing.takes));
}
inline std::span<const std::int32_t> readers_of(const Program& program, const BoundPublication& publication) {
  return std::span(program.readers)
      .subspan(static_cast<std::size_t>(publication.first_reader), static_cast<std::size_t>(publication.readers));
}

/// Binds a schedule to the layouts of the caller's two buffers; scratch is as large as blocks of `recv`. They differ
/// where each rank knows only its own counts (alltoallv). `rank` tells which block a send or receive buffer of a single
/// block is as large as (allgather's send, reduce_scatter's recv, and so on; see docs/schedules.md).
Program bind(const Schedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank);
/// The same into the memory of a program that is not needed any more.
void bind(const FlatSchedule& schedule, const Layout& send, const Layout& recv, Collective collective, int rank,
          Program& program);

}  // namespace starling
