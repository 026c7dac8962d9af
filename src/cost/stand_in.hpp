#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/candidate.hpp"
#include "schedule/program.hpp"
#include "schedule/steps/native_part.hpp"

namespace starling {

/// What the MPI library's own collective is taken for, of which nobody else knows how it is done: the algorithm that
/// MPI libraries commonly have for so many ranks and `bytes` (as Situation::bytes), with the thresholds of Thakur,
/// Rabenseifner and Gropp 2005. Throws std::invalid_argument for collectives that are no parts of algorithms.
Bound stand_in(Collective collective, int ranks, std::int64_t bytes);

/// Bytes, as Situation::bytes, of a collective on so many members, one of which gives `from` and gets `into`.
constexpr std::int64_t bytes_of_part(Collective collective, int members, std::int64_t from, std::int64_t into) {
  const Traits& has = traits_of(collective);
  if (divides_a_vector(collective)) return from > into ? from : into;
  if (has.send == Holds::block) return from;
  if (has.recv == Holds::block) return into;
  return from / members;
}

/// The same programs, in units of bytes, with the messages and the work of stand-ins in place of all native parts but
/// barriers. A part in which members' blocks differ in size counts as that of its first member.
std::vector<Program> with_stand_ins(std::span<const Program> programs);

}  // namespace starling
