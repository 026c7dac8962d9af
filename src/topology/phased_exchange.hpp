#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// An exchange of all ranks with all in phases, as Faraj and Yuan 2005 plan it ("Bandwidth efficient all-to-all
/// personalized communication on Ethernet switched clusters", section 4): in no phase do two messages use a link in the
/// same direction, and there are as few phases as the fullest link has messages.
///
/// The tree is seen from the switch of which no branch holds more than half of the ranks, the fullest branch first; a
/// rank that hangs off that switch is a branch of its own. In a phase at most one message leaves a branch, at most one
/// enters it, and at most one stays inside, from who receives from elsewhere to who sends elsewhere.
class PhasedExchange {
 public:
  struct Message {
    int from;  ///< rank
    int to;    ///< rank
    int phase;
    bool operator==(const Message&) const = default;
  };
  /// A link of the tree in one direction: up from the members first, ..., last - 1 of a branch, or down to them.
  struct Link {
    int branch;
    int first;
    int last;
    bool up;
    bool operator==(const Link&) const = default;
  };

  /// `tree` has two ranks or more.
  explicit PhasedExchange(const SwitchTree& tree);

  [[nodiscard]] int phases() const { return phases_; }
  /// What `rank` sends in a phase, and what it receives.
  [[nodiscard]] std::optional<Message> sent_by(int rank, int phase) const;
  [[nodiscard]] std::optional<Message> received_by(int rank, int phase) const;
  /// The links that a message goes over, without the sender's own, which carries no other rank's.
  [[nodiscard]] std::vector<Link> way(const Message& message) const;
  /// The first message that goes over `link` after a phase, and the last one before it.
  [[nodiscard]] std::optional<Message> next(const Link& link, int phase) const;
  [[nodiscard]] std::optional<Message> previous(const Link& link, int phase) const;

 private:
  /// Where a rank is: its branch, and its number there.
  struct Place {
    int branch = 0;
    int member = 0;
  };
  struct Branch {
    std::vector<int> ranks;   ///< in the order of a depth-first walk, so that every switch has consecutive ones
    std::vector<Link> links;  ///< up from each switch with two ranks or more behind it
  };
  /// Phases first, ..., end - 1, in which a branch exchanges messages in one direction with another; -1: with none.
  struct Window {
    int other;
    int first;
    int end;
  };

  static Branch branch_behind(const SwitchTree& tree, int from, int into);
  void plant(const SwitchTree& tree);

  /// The window of messages out of a branch, or into it, that a phase lies in.
  [[nodiscard]] Window window_out(int branch, int phase) const;
  [[nodiscard]] Window window_in(int branch, int phase) const;
  /// Phases around `phase` in which nothing goes over `link`, or that phase alone.
  [[nodiscard]] Window quiet(const Link& link, int phase) const;
  [[nodiscard]] std::optional<Message> leaving(int branch, int phase) const;
  [[nodiscard]] std::optional<Message> entering(int branch, int phase) const;
  [[nodiscard]] std::optional<Message> inside(int branch, int phase) const;
  [[nodiscard]] std::optional<Message> user(const Link& link, int phase) const;
  [[nodiscard]] Message between(int i, int j, int phase, int start) const;

  [[nodiscard]] int branches() const { return static_cast<int>(branches_.size()); }
  /// Members of a branch; of those from `first` up to, without, `end`.
  [[nodiscard]] int m(int branch) const { return static_cast<int>(branches_[index(branch)].ranks.size()); }
  [[nodiscard]] int members(int first, int end) const {
    return end <= first ? 0 : before_[index(end)] - before_[index(first)];
  }
  /// The branch that holds a member, counted through all branches.
  [[nodiscard]] int branch_of(int member) const;
  [[nodiscard]] int rank(int branch, int member) const { return branches_[index(branch)].ranks[index(member)]; }
  [[nodiscard]] const Place& place(int rank) const { return places_[index(rank)]; }
  [[nodiscard]] int first_sender(int phase) const;
  [[nodiscard]] int first_receiver(int phase) const;
  [[nodiscard]] int other_receiver(int branch, int phase) const;
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }

  std::vector<Branch> branches_;
  std::vector<Place> places_;  ///< of each rank
  std::vector<int> before_;    ///< members of the branches before each, and of all
  int phases_ = 0;
};

}  // namespace starling
