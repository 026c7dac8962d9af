#include "cost/prediction.hpp"

#include <algorithm>
#include <vector>

#include "cost/simulation.hpp"
#include "cost/stand_in.hpp"

namespace starling {
namespace {

std::string refusal(std::span<const Program> programs) {
  std::int64_t messages = 0;
  std::int64_t at_once = 0;
  for (const Program& program : programs) {
    std::int32_t most = 0;
    for (const Step& step : program.steps)
      if (step.is<Messages>()) most = std::max(most, step.count);
    messages += messages_in(program);
    at_once += most;
  }
  if (messages / 2 > most_messages)
    return "too large to simulate: more than " + std::to_string(most_messages) + " messages";
  if (at_once / 2 > most_at_once)
    return "too large to simulate: more than " + std::to_string(most_at_once) + " messages at once";
  return {};
}

}  // namespace

std::int64_t messages_in(const Program& program) {
  std::int64_t messages = 0;
  for (const Step& step : program.steps)
    if (step.is<Messages>()) messages += step.count;
  return messages;
}

Prediction predict(std::span<const Program> programs, const Network& network, const CostParameters& parameters,
                   std::int64_t most_visits) {
  std::vector<Program> expanded;
  if (std::any_of(programs.begin(), programs.end(), [](const Program& one) { return !one.natives.empty(); }))
    programs = expanded = with_stand_ins(programs);
  if (std::string why = refusal(programs); !why.empty()) return {.seconds = 0, .refusal = std::move(why)};
  const auto seconds = Simulation(programs, network, parameters).run(most_visits);
  if (!seconds) return {.seconds = 0, .refusal = "too large to simulate: its messages share links in too many ways"};
  return {.seconds = *seconds, .refusal = {}};
}

}  // namespace starling
