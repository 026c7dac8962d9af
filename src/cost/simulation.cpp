#include "cost/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace starling {
namespace {

/// Bits per second that messages get of each link.
std::vector<std::int64_t> usable(std::vector<std::int64_t> rates, double share) {
  for (std::int64_t& rate : rates) rate = std::max<std::int64_t>(1, std::llround(static_cast<double>(rate) * share));
  return rates;
}

}  // namespace

Simulation::Simulation(std::span<const Program> programs, const Network& network, const CostParameters& parameters)
    : programs_(programs),
      network_(network),
      parameters_(parameters),
      messages_(programs),
      shares_(usable(network.rates(), parameters.rate_share), network.longest_path()),
      ranks_(programs.size()),
      flying_(messages_.size()),
      path_(static_cast<std::size_t>(network.longest_path())) {
  for (std::size_t i = 0; i < messages_.size(); ++i)
    if (const int next = messages_[static_cast<int>(i)].next; next >= 0) flying(next).turn = false;
}

double Simulation::run() {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) foresee(0, What::begin_step, rank);
  while (true) {
    const double flow_ends = shares_.next_end();
    if (events_.empty() && flow_ends == std::numeric_limits<double>::infinity()) break;
    if (events_.empty() || flow_ends <= events_.top().time) {
      for (const int message : shares_.ended(flow_ends)) flowed(message, flow_ends);
      continue;
    }
    // All that happens at one time before links are shared out anew.
    for (const double now = events_.top().time; !events_.empty() && events_.top().time == now;) {
      const Event event = events_.top();
      events_.pop();
      happen(event);
    }
  }
  double last = 0;
  for (const Rank& one : ranks_) {
    if (!one.done) throw std::invalid_argument("the ranks wait for ever");
    last = std::max(last, one.free);
  }
  return last;
}

void Simulation::happen(const Event& event) {
  switch (event.what) {
    case What::begin_step: begin_step(event.subject, event.time); break;
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

void Simulation::begin_step(int rank, double now) {
  Rank& me = at(rank);
  if (me.step == program(rank).steps.size()) {
    me.done = true;
    return;
  }
  const Step& step = program(rank).steps[me.step];
  if (step.native >= 0) {
    join(program(rank).natives[static_cast<std::size_t>(step.native)], now);
    return;
  }
  const auto messages = messages_.of(rank).subspan(static_cast<std::size_t>(step.messages));
  const auto receives = messages.first(static_cast<std::size_t>(step.receives));
  const auto sends = messages.subspan(receives.size(), static_cast<std::size_t>(step.sends));
  me.awaited = step.receives;
  for (const int one : receives) {
    flying(one).posted = now;
    if (asks(one) && flying(one).released >= 0) agree(one);
  }
  for (const int one : sends) {
    me.free += parameters_.overhead;
    const double time = std::max(me.free, me.next_send);
    me.next_send = time + parameters_.gap;
    if (asks(one)) ++me.awaited;
    foresee(time, What::released, one);
  }
  if (me.awaited == 0) end_step(rank, now);
  for (const int one : receives)
    if (flying(one).arrived) receive(one, now);
}

void Simulation::end_step(int rank, double now) {
  Rank& me = at(rank);
  me.free = std::max(me.free, now);
  const Step& step = program(rank).steps[me.step++];
  const auto first = static_cast<std::size_t>(step.works);
  for (std::size_t i = first; i < first + static_cast<std::size_t>(step.work_count); ++i) {
    const Work& work = program(rank).works[i];
    me.free += static_cast<double>(work.from.count) *
               (work.kind == Local::Kind::copy ? parameters_.copy_per_byte : parameters_.combine_per_byte);
  }
  foresee(me.free, What::begin_step, rank);
}

void Simulation::join(const NativePart& barrier, double now) {
  auto found = std::find_if(gatherings_.begin(), gatherings_.end(),
                            [&](const Gathering& one) { return one.group == barrier.group; });
  if (found == gatherings_.end()) found = gatherings_.insert(found, {barrier.group, 0, 0});
  found->last = std::max(found->last, now);
  if (++found->come < barrier.group.size) return;
  // A dissemination (Hensgen, Finkel and Manber 1988): so many rounds of a message each way.
  const int members = barrier.group.size;
  int rounds = 0;
  for (int reached = 1; reached < members; reached *= 2) ++rounds;
  double farthest = 0;
  for (int i = 1; i < members; ++i)
    farthest = std::max(farthest, latency(barrier.group.rank(0), barrier.group.rank(i)));
  const double over = found->last + (rounds * ((2 * parameters_.overhead) + farthest));
  *found = {barrier.group, 0, 0};
  for (int i = 0; i < members; ++i) end_step(barrier.group.rank(i), over);
}

void Simulation::release(int message, double now) {
  flying(message).released = now;
  if (!asks(message)) {
    flying(message).may_flow = true;
    try_to_flow(message, now);
  } else if (flying(message).posted >= 0) {
    agree(message);
  }
}

/// The question reaches a receive that is posted, the answer the sender.
void Simulation::agree(int message) {
  const double way = latency(messages_[message].from, messages_[message].to) + parameters_.overhead;
  foresee(std::max(flying(message).released + way, flying(message).posted) + way, What::may_flow, message);
}

void Simulation::try_to_flow(int message, double now) {
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
  } else if (network_.on_one_host(from, to)) {
    foresee(now + (static_cast<double>(bytes) * parameters_.memory_per_byte), What::flowed, message);
  } else {
    shares_.start(message, network_.path(from, to, path_), bytes, now);
  }
}

void Simulation::flowed(int message, double now) {
  const auto& [from, to, bytes, next] = messages_[message];
  foresee(now + latency(from, to), What::arrived, message);
  if (asks(message)) message_done(from, now);
  if (takes_turns(message)) {
    const int other = std::exchange(turn_of(message), {}).waiting;
    if (other >= 0) try_to_flow(other, now);
  }
  if (next < 0) return;
  flying(next).turn = true;
  try_to_flow(next, now);
}

Simulation::Turn& Simulation::turn_of(int message) {
  const auto& [from, to, bytes, next] = messages_[message];
  return turns_[(static_cast<std::int64_t>(std::min(from, to)) << 32) | std::max(from, to)];
}

void Simulation::receive(int message, double now) {
  const int rank = messages_[message].to;
  at(rank).free = std::max(at(rank).free, now) + parameters_.overhead;
  message_done(rank, now);
}

void Simulation::message_done(int rank, double now) {
  if (--at(rank).awaited == 0) end_step(rank, now);
}

double Simulation::latency(int from, int to) const {
  if (network_.on_one_host(from, to)) return parameters_.memory_latency;
  return parameters_.latency + network_.latency(from, to);
}

}  // namespace starling
