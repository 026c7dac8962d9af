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

/// Counts of what was proven, printed at the end of a run.
struct Tally {
  static inline long runs = 0;       ///< schedules of all ranks, checked together
  static inline long schedules = 0;  ///< of single ranks
};

/// The roots that matter: the first, the last, and some between; one where there is no root.
std::set<int> roots(Collective collective, int ranks);

/// The network of that many ranks: another random tree for each number.
const SwitchTree& tree_of(int ranks);
/// Their nodes: of four consecutive ranks each, of two ranks far apart, or those below one switch, as different as the
/// numbers of ranks. Nodes of four have two domains, of two ranks each; of two ranks each is alone; of those below one
/// switch the ranks with even numbers are in one, the others in another.
const Places& places_of(int ranks);

Situation situation_of(const Bound& bound, int ranks, std::int64_t bytes);

/// Sizes below 3 GiB for which the candidate serves and divides its data differently, into not too many blocks. A
/// candidate that divides it into no blocks, or ranks' blocks unevenly, fails the test.
std::vector<Situation> situations(const Bound& bound, int ranks);

/// The schedules of all ranks.
std::vector<Schedule> schedules(const Bound& bound, const Situation& situation, int root);

/// CheckedCall that the checker may assume in a situation of this file.
CheckedCall facts_of(const Bound& bound, const Situation& situation);

/// Blocks of scratch on the rank that has most of it.
std::size_t most_scratch(const std::vector<Schedule>& all);

/// Which groups a rank ever joins does not depend on the root: as the root itself it joins them all.
void expect_all_groups_as_the_root(const Bound& bound, const Situation& situation);

/// A hash of schedules: different ones have equal hashes with a chance of 2^-64.
std::uint64_t fingerprint(const Schedule& schedule);

/// The checker's error, or empty. Schedules already found right are not checked again: segments of different sizes give
/// equal ones.
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
