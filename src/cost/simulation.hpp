#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "cost/fair_shares.hpp"
#include "cost/message_table.hpp"
#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "schedule/program.hpp"

namespace starling {

/// One call of a collective, simulated event by event. A message goes through these states: its sender has spent the
/// overhead and lets it go (`released`); it may flow, because the one before it between the two ranks has flowed and,
/// for a large one, its receive is posted (and nothing large flows the other way, where that is so); it flows over its
/// links; after the latency it arrives, and its receiver spends the overhead as soon as the receive is posted and its
/// processor free.
class Simulation {
 public:
  /// Everything given outlives it. Throws std::invalid_argument where sends and receives do not match.
  Simulation(std::span<const Program> programs, const Network& network, const CostParameters& parameters);

  /// When the last rank has finished, in seconds. Throws std::invalid_argument where ranks wait for ever.
  double run();

 private:
  enum class What : std::uint8_t { begin_step, released, may_flow, flowed, arrived };
  struct Event {
    double time;
    std::int64_t number;  ///< events of one time happen in the order in which they were foreseen
    What what;
    int subject;  ///< a rank or a message
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : number > other.number; }
  };
  struct Flying {
    double released = -1;  ///< when the sender let it go; negative: not yet
    double posted = -1;    ///< when its receive was posted
    bool turn = true;      ///< the one before it has flowed
    bool may_flow = false;
    bool arrived = false;
  };
  struct Rank {
    std::size_t step = 0;
    int awaited = 0;       ///< messages of the step that are not done
    double free = 0;       ///< when its processor is
    double next_send = 0;  ///< not before: the gap
    bool done = false;
  };
  /// Large messages of two ranks to each other, where they take turns.
  struct Turn {
    bool taken = false;
    int waiting = -1;  ///< the message of the other direction
  };
  /// Ranks that have come to a barrier of a group.
  struct Gathering {
    Group group;
    int come;
    double last;
  };

  void foresee(double time, What what, int subject) { events_.push({time, count_++, what, subject}); }
  void happen(const Event& event);
  void begin_step(int rank, double now);
  void end_step(int rank, double now);
  void join(const NativePart& barrier, double now);
  void release(int message, double now);
  void agree(int message);
  void try_to_flow(int message, double now);
  void flowed(int message, double now);
  void receive(int message, double now);
  void message_done(int rank, double now);

  [[nodiscard]] const Program& program(int rank) const { return programs_[static_cast<std::size_t>(rank)]; }
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  Flying& flying(int message) { return flying_[static_cast<std::size_t>(message)]; }
  /// Large messages: the sender asks first, and waits until all has flowed.
  [[nodiscard]] bool asks(int message) const { return messages_[message].bytes >= parameters_.rendezvous; }
  [[nodiscard]] bool takes_turns(int message) const { return parameters_.large_take_turns && asks(message); }
  Turn& turn_of(int message);
  /// L between two ranks.
  [[nodiscard]] double latency(int from, int to) const;

  std::span<const Program> programs_;
  const Network& network_;
  const CostParameters& parameters_;
  MessageTable messages_;
  FairShares shares_;
  std::vector<Rank> ranks_;
  std::vector<Flying> flying_;
  std::unordered_map<std::int64_t, Turn> turns_;  ///< by both ranks
  std::vector<Gathering> gatherings_;
  std::vector<int> path_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t count_ = 0;
};

}  // namespace starling
