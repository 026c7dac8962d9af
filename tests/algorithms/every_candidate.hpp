#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "schedule/checker.hpp"

namespace starling {

/// How much was proven, for the end of a run.
struct Tally {
  static inline long runs = 0;       ///< schedules of all ranks, checked together
  static inline long schedules = 0;  ///< of single ranks
};

/// The roots that matter: the first, the last, and some between; one where there is no root.
std::set<int> roots(Collective collective, int ranks);

/// The network of so many ranks: another random tree for each number.
const SwitchTree& tree_of(int ranks);

Situation situation_of(const Bound& bound, int ranks, std::int64_t bytes);

/// Sizes below 3 GiB under which the candidate serves and divides its data differently, into not too many blocks. One
/// that divides it into no block, or the blocks of ranks unevenly, fails the test.
std::vector<Situation> situations(const Bound& bound, int ranks);

/// What every rank does.
std::vector<Schedule> schedules(const Bound& bound, const Situation& situation, int root);

/// What the checker may take for granted.
CheckedCall facts_of(const Bound& bound, int blocks);

/// A number that differs, but for a chance of 2^-64, where schedules differ.
std::uint64_t fingerprint(const Schedule& schedule);

/// What the checker finds wrong, empty if nothing. Schedules that it found right before are not checked again: segments
/// of different sizes make the same ones.
std::string fault(Collective collective, const std::vector<Schedule>& all, int root, const CheckedCall& facts);

/// "bcast:chain?segment=8192".
std::string full_name(const Bound& bound);

/// Every candidate of every collective that can build a schedule.
std::vector<Bound> every_candidate();

/// The tests of one candidate are named after it: bcast_chain_segment_8192.
std::string test_name(std::string name);

inline void PrintTo(const Bound& bound, std::ostream* out) {
  *out << full_name(bound);
}

}  // namespace starling
