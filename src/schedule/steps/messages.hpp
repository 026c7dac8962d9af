#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/channels.hpp"
#include "schedule/layout.hpp"
#include "schedule/rank_set.hpp"
#include "schedule/steps/wait.hpp"

namespace starling {

class MessageRule;
class Placing;
class RanksAtWork;
struct Binder;
struct Drawing;
struct FlatSchedule;
struct Step;

/// A message of a program, without gaps: there may be many.
struct Message {
  std::int32_t peer;
  Buffer buffer;
  Units data;
  [[nodiscard]] Extent extent() const { return {static_cast<std::int32_t>(buffer), data.first, data.count}; }
};

/// Posts receives and sends together, receives first, each in the order given, and waits for all of them.
struct Messages {
  static constexpr std::string_view name = "messages";

  std::vector<Transfer> receives;
  std::vector<Transfer> sends;

  bool operator==(const Messages&) const = default;
  [[nodiscard]] bool empty() const { return receives.empty() && sends.empty(); }
  [[nodiscard]] Messages placed(const Placing& where) const;
  [[nodiscard]] Drawing drawn() const;

  struct InSchedule {
    std::vector<Transfer> transfers;
    static auto arrays(auto& of) { return std::tie(of.transfers); }
  };
  /// From the transfer `first` on, in each round `receives` receives and `sends` sends.
  struct Flat {
    std::int32_t first;
    std::int32_t receives;
    std::int32_t sends;
    std::int32_t rounds;
    /// Each message is one block of the caller's: all receives into one buffer, all sends from one.
    bool single_blocks;
    /// Takes in the rounds of what follows, where they exchange a block each between the same buffers: so many are
    /// bound together in a quarter of the time. Whether it did.
    [[nodiscard]] bool join(const Flat& next, const InSchedule& all);
    /// Makes a step of the program for each round: the quickest form that can do it. Messages of blocks that turn out
    /// empty are left out, for both ends know.
    void bind(Binder& binder) const;

   private:
    [[nodiscard]] bool may_exchange() const { return single_blocks && receives == 1 && sends == 1; }
    /// Binds rounds from the transfer `at` on, until `end` or one that does not become an exchange; returns where.
    [[nodiscard]] static std::int32_t bind_exchanges(Binder& binder, std::int32_t at, std::int32_t end);
    void bind_round(Binder& binder, std::int32_t at) const;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into) const;

  enum class Form : std::uint8_t {
    send,      ///< one message; as in the next two, MPI can count its units in an int
    receive,   ///< one message
    exchange,  ///< one message received and one sent, at once
    any        ///< any number of messages at once
  };
  struct InProgram {
    std::vector<Message> messages;  ///< with gaps where some are left out
    static auto arrays(auto& of) { return std::tie(of.messages); }
    /// Room for one message of each transfer, not cleared: there are many, and `bind` overwrites those that it uses.
    void make_room(const InSchedule& schedule) { messages.resize(schedule.transfers.size()); }
    std::int32_t append(const InProgram& other, const Step& step, const RankSet& ranks);
  };

  using Rule = MessageRule;
};

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
