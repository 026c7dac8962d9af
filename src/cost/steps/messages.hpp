#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cost/fair_shares.hpp"
#include "cost/message_table.hpp"
#include "cost/prediction_work.hpp"
#include "cost/simulated_ranks.hpp"

namespace starling {

/// The time of messages. One goes through these states: its sender has spent the overhead and lets it go (`released`);
/// it may flow, because the one before it between the two ranks has flowed and, for a large one, its receive is posted
/// (and nothing large flows the other way, where that is so); it flows over its links; after the latency it arrives,
/// and its receiver spends the overhead as soon as the receive is posted and its processor free.
template <>
class StepCost<Messages> {
 public:
  /// Throws std::invalid_argument where sends and receives do not match.
  explicit StepCost(SimulatedRanks& ranks);

  /// A rank posts the messages of its step.
  void begin(int rank, const Step& step, double now);
  static void count(const Messages& step, PredictionWork& work);
  /// What was foreseen of a message happens.
  void happen(const SimulatedRanks::Event& event);
  /// When the next message has flowed over its links; infinity where none flows.
  [[nodiscard]] double next_end() { return shares_.next_end(); }
  /// As FairShares::visits.
  [[nodiscard]] std::int64_t visits() const { return shares_.visits(); }
  /// Ends the flows that end then.
  void end_flows(double now) {
    for (const int message : shares_.ended(now)) flowed(message, now);
  }

 private:
  using What = SimulatedRanks::What;
  struct Flying {
    double released = -1;  ///< when the sender let it go; negative: not yet
    double posted = -1;    ///< when its receive was posted
    bool turn = true;      ///< the one before it has flowed
    bool may_flow = false;
    bool arrived = false;
  };
  struct Posted {
    int awaited = 0;       ///< messages of the step that are not done
    double next_send = 0;  ///< not before: the gap
  };
  /// Large messages of two ranks to each other, where they take turns.
  struct Turn {
    bool taken = false;
    int waiting = -1;  ///< the message of the other direction
  };

  void release(int message, double now);
  void agree(int message);
  void try_to_flow(int message, double now);
  void flowed(int message, double now);
  void receive(int message, double now);
  void message_done(int rank, double now);

  Posted& posted(int rank) { return posted_[static_cast<std::size_t>(rank)]; }
  Flying& flying(int message) { return flying_[static_cast<std::size_t>(message)]; }
  /// Large messages: the sender asks first, and waits until all has flowed.
  [[nodiscard]] bool asks(int message) const { return messages_[message].bytes >= ranks_.parameters().rendezvous; }
  [[nodiscard]] bool takes_turns(int message) const { return ranks_.parameters().large_take_turns && asks(message); }
  Turn& turn_of(int message);

  SimulatedRanks& ranks_;
  MessageTable messages_;
  FairShares shares_;
  std::vector<Posted> posted_;
  std::vector<Flying> flying_;
  std::unordered_map<std::int64_t, Turn> turns_;  ///< by both ranks
  std::vector<int> path_;
};

}  // namespace starling
