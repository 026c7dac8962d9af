#include "cost/steps/messages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling {
namespace {

/// Bits per second that messages get of each link.
std::vector<std::int64_t> usable(std::vector<std::int64_t> rates, double share) {
  for (std::int64_t& rate : rates) rate = std::max<std::int64_t>(1, std::llround(static_cast<double>(rate) * share));
  return rates;
}

}  // namespace

StepCost<Messages>::StepCost(SimulatedRanks& ranks)
    : ranks_(ranks),
      messages_(ranks.programs()),
      shares_(usable(ranks.network().rates(), ranks.parameters().rate_share), ranks.network().longest_path()),
      posted_(ranks.programs().size()),
      flying_(messages_.size()),
      path_(static_cast<std::size_t>(ranks.network().longest_path())) {
  for (std::size_t i = 0; i < messages_.size(); ++i)
    if (const int next = messages_[static_cast<int>(i)].next; next >= 0) flying(next).turn = false;
}

void StepCost<Messages>::begin(int rank, const Step& step, double now) {
  const auto messages =
      messages_.of(rank).subspan(static_cast<std::size_t>(step.first), static_cast<std::size_t>(step.count));
  const auto receives = messages.first(static_cast<std::size_t>(step.receives()));
  const auto sends = messages.last(static_cast<std::size_t>(step.sends));
  Posted& mine = posted(rank);
  mine.awaited = step.receives();
  for (const int one : receives) {
    flying(one).posted = now;
    if (asks(one) && flying(one).released >= 0) agree(one);
  }
  double& processor = ranks_.at(rank).free;
  for (const int one : sends) {
    processor += ranks_.parameters().overhead;
    const double time = std::max(processor, mine.next_send);
    mine.next_send = time + ranks_.parameters().gap;
    if (asks(one)) ++mine.awaited;
    ranks_.foresee(time, What::released, one);
  }
  if (mine.awaited == 0) ranks_.step_over(rank, now);
  for (const int one : receives)
    if (flying(one).arrived) receive(one, now);
}

void StepCost<Messages>::count(const Messages& step, PredictionWork& work) {
  constexpr double of_a_transfer = 0.35;
  const auto sends = static_cast<double>(step.sends.size());
  work.microseconds += of_a_transfer * (sends + static_cast<double>(step.receives.size()));
  work.sends += sends;
  work.most_sends = std::max(work.most_sends, sends);
}

void StepCost<Messages>::happen(const SimulatedRanks::Event& event) {
  switch (event.what) {
    case What::begin_step: break;
    case What::released: release(event.subject, event.time); break;
    case What::may_flow:
      flying(event.subject).may_flow = true;
      try_to_flow(event.subject, event.time);
      break;
    case What::flowed: flowed(event.subject, event.time); break;
    case What::arrived:
      flying(event.subject).arrived = true;
      if (flying(event.subject).posted >= 0) receive(event.subject, event.time);
      break;
  }
}

void StepCost<Messages>::release(int message, double now) {
  flying(message).released = now;
  if (!asks(message)) {
    flying(message).may_flow = true;
    try_to_flow(message, now);
  } else if (flying(message).posted >= 0) {
    agree(message);
  }
}

/// The question reaches a receive that is posted, the answer the sender.
void StepCost<Messages>::agree(int message) {
  const double way = ranks_.latency(messages_[message].from, messages_[message].to) + ranks_.parameters().overhead;
  ranks_.foresee(std::max(flying(message).released + way, flying(message).posted) + way, What::may_flow, message);
}

void StepCost<Messages>::try_to_flow(int message, double now) {
  if (!flying(message).turn || !flying(message).may_flow) return;
  const auto& [from, to, bytes, next] = messages_[message];
  if (takes_turns(message)) {
    Turn& turn = turn_of(message);
    if (turn.taken) {
      turn.waiting = message;
      return;
    }
    turn.taken = true;
  }
  if (bytes == 0) {
    flowed(message, now);
  } else if (ranks_.network().on_one_host(from, to)) {
    const double copied = now + (static_cast<double>(bytes) * ranks_.parameters().memory_per_byte);
    ranks_.foresee(std::max(copied, ranks_.crossed(from, to, bytes, now)), What::flowed, message);
  } else {
    shares_.start(message, ranks_.network().path(from, to, path_), bytes, now);
  }
}

void StepCost<Messages>::flowed(int message, double now) {
  const auto& [from, to, bytes, next] = messages_[message];
  ranks_.foresee(now + ranks_.latency(from, to), What::arrived, message);
  if (asks(message)) message_done(from, now);
  if (takes_turns(message)) {
    const int other = std::exchange(turn_of(message), {}).waiting;
    if (other >= 0) try_to_flow(other, now);
  }
  if (next < 0) return;
  flying(next).turn = true;
  try_to_flow(next, now);
}

StepCost<Messages>::Turn& StepCost<Messages>::turn_of(int message) {
  const auto& [from, to, bytes, next] = messages_[message];
  return turns_[(static_cast<std::int64_t>(std::min(from, to)) << 32) | std::max(from, to)];
}

void StepCost<Messages>::receive(int message, double now) {
  const int rank = messages_[message].to;
  double& processor = ranks_.at(rank).free;
  processor = std::max(processor, now) + ranks_.parameters().overhead;
  message_done(rank, now);
}

void StepCost<Messages>::message_done(int rank, double now) {
  if (--posted(rank).awaited == 0) ranks_.step_over(rank, now);
}

}  // namespace starling
