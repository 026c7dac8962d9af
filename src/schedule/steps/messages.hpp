#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/channels.hpp"
#include "schedule/layout.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

class Binder;
class MessageRule;
class Placing;
class RanksAtWork;
struct FlatSchedule;

/// Posts receives and sends together, receives first, each in the order given, and waits for all of them.
struct Messages {
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;

  [[nodiscard]] bool empty() const { return receives.empty() && sends.empty(); }
  /// The same as a step of a whole of which this is a part.
  [[nodiscard]] Messages placed(const Placing& where) const;

  /// The next `receives` transfers of a flat schedule, and the next `sends`.
  struct Flat {
    std::int32_t receives;
    std::int32_t sends;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into) const;

  using Rule = MessageRule;
};

/// A message of a program.
struct Message {
  std::int32_t peer;
  Extent data;
};

/// Makes a step of the program: the quickest of send, receive, exchange and messages that can do it. Messages of blocks
/// that turn out empty are left out, for both ends know.
void bind(const Messages::Flat& step, Binder& binder);

/// The k-th send from one rank to another meets the k-th receive there and has its blocks and sizes; nothing is read
/// that was not written, or written while it is read; a send may end only when its receive is posted.
class MessageRule {
 public:
  explicit MessageRule(RanksAtWork& all);
  /// Posts all; true if nothing has to be waited for. Throws Mistake.
  bool begin(int rank, const Messages& step);
  /// What the rank waits for.
  [[nodiscard]] Wait wait_of(int rank, const Messages& step) const;

 private:
  void must_be_peer(int peer, int rank) const;
  void post(int rank, const Transfer& transfer, bool is_send);
  void deliver(int from, const Transfer& send, int to, const Transfer& receive);

  RanksAtWork& all_;
  Channels channels_;
  std::vector<int> waiting_;  ///< unmatched posts of each rank
};

}  // namespace starling
