#include "cost/prediction_work.hpp"

#include <variant>

#include "cost/steps/kinds.hpp"

namespace starling {
namespace {

/// What a rank's schedule takes to make, and a message to simulate among as many others of its rank.
constexpr double of_a_schedule = 1;
constexpr double of_a_block = 0.013;
constexpr double of_a_message = 0.35;
constexpr double of_a_message_beside_another = 0.065;

}  // namespace

double prediction_work(const Bound& bound, const Situation& situation, int rank, int root) {
  const std::int64_t all = divides_a_vector(situation.collective) ? situation.bytes : situation.ranks * situation.bytes;
  PredictionWork work{.rank = rank, .block = all / bound.blocks(situation)};
  const Schedule schedule = bound.schedule(bound.team(situation, rank, root));
  work.microseconds = of_a_schedule + (of_a_block * schedule.blocks());
  const auto count = [&]<class Kind>(const Kind& step) { StepCost<Kind>::count(step, work); };
  for (const Round& round : schedule.rounds()) {
    std::visit(count, round.meeting);
    count(round.local);
  }
  return work.microseconds + (work.sends * (of_a_message + (of_a_message_beside_another * work.most_sends)));
}

}  // namespace starling
