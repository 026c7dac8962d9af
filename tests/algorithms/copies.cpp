// The parameter `copies`: where publications stay, and which blocks it refuses.

#include "algorithms/shared/copies.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "every_candidate.hpp"
#include "schedule/program.hpp"

namespace starling {
namespace {

constexpr int ranks_of_node = 3;

/// Those whose blocks are of one size.
std::vector<Bound> with_copies() {
  std::vector<Bound> found;
  for (const Bound& bound : every_candidate())
    for (const Parameter& one : bound.algorithm->parameters)
      if (one.name == copies_parameter().name && traits_of(bound.collective).sizes == Sizes::alike)
        found.push_back(bound);
  return found;
}

/// On one node, with blocks of so many bytes.
Situation on_one_node(const Bound& bound, std::int64_t bytes) {
  static const Places node(std::vector<int>(ranks_of_node, 0));
  Situation one = situation_of(bound, ranks_of_node, bytes);
  one.places = &node;
  return one;
}

TEST(Copies, AreOneOrTwoOfEachPublicationAsTheParameterSays) {
  const std::vector<Bound> all = with_copies();
  ASSERT_FALSE(all.empty());
  for (const Bound& bound : all) {
    constexpr std::int64_t bytes = 1 << 20;
    const Situation situation = on_one_node(bound, bytes);
    ASSERT_EQ(bound.refusal(situation), "") << full_name(bound);
    const Layout of_all(ranks_of_node, ranks_of_node * bytes);
    const bool sends_one = traits_of(bound.collective).send == Holds::block;
    std::size_t publications = 0;
    for (int rank = 0; rank < 2; ++rank) {  // the root, and another one
      const Program program = bind(bound.schedule(bound.team(situation, rank, 0)),
                                   sends_one ? Layout(1, bytes) : of_all, of_all, bound.collective, rank);
      publications += program.publications.size();
      for (const BoundPublication& one : program.publications)
        EXPECT_EQ(one.may_stay_in_place(bytes), bound.parameters.text("copies") == "once") << full_name(bound);
    }
    EXPECT_GT(publications, 0U) << full_name(bound);
  }
}

TEST(Copies, AreTwoOfBlocksThatTheSystemsCallWouldTakeLongerFor) {
  for (const Bound& bound : with_copies()) {
    const bool once = bound.parameters.text("copies") == "once";
    const bool is_in_shares = bound.collective == Collective::allreduce && bound.parameters.text("part") == "share";
    const std::int64_t least = is_in_shares ? 65536 * ranks_of_node : 65536;
    EXPECT_EQ(bound.refusal(on_one_node(bound, least)), "") << full_name(bound);
    EXPECT_EQ(bound.refusal(on_one_node(bound, least - 1)),
              once ? "blocks of less than 65536 bytes are copied twice" : "")
        << full_name(bound);
  }
}

}  // namespace
}  // namespace starling
