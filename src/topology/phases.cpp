#include "topology/phases.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace starling {
namespace {

using Branch = std::vector<int>;  // ranks

/// The branches at the switch of which none holds more than half of the ranks, the fullest first. A rank that hangs off
/// that switch is a branch of its own.
std::vector<Branch> branches_of(const SwitchTree& tree) {
  const auto half = static_cast<std::size_t>(tree.ranks() / 2);
  for (int root = 0; root < tree.switches(); ++root) {
    std::vector<Branch> branches;
    for (const int next : tree.neighbours(root)) {
      Branch branch = tree.ranks_behind(root, next);
      if (!branch.empty()) branches.push_back(std::move(branch));
    }
    for (const int rank : tree.ranks_of(root)) branches.push_back({rank});
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& one, const Branch& other) { return one.size() > other.size(); });
    if (branches.front().size() <= half) return branches;
  }
  return {};
}

int wrapped(int value, int modulus) {
  return ((value % modulus) + modulus) % modulus;
}

/// The phases of Faraj and Yuan, section 4. Branches and their members count from 0; m(i) members, M in all, T phases.
class Exchange {
 public:
  explicit Exchange(std::vector<Branch> branches) : branches_(std::move(branches)), before_{0} {
    for (const Branch& branch : branches_) before_.push_back(before_.back() + static_cast<int>(branch.size()));
    phases_ = m(0) * (before_.back() - m(0));
  }

  [[nodiscard]] int phases() const { return phases_; }
  [[nodiscard]] int branches() const { return static_cast<int>(branches_.size()); }
  [[nodiscard]] int m(int branch) const { return static_cast<int>(branches_[static_cast<std::size_t>(branch)].size()); }
  [[nodiscard]] int rank(int branch, int member) const {
    return branches_[static_cast<std::size_t>(branch)][static_cast<std::size_t>(member)];
  }

  /// Calls `use(phase, sender, receiver)` for all messages from branch i to branch j.
  template <class Use>
  void between(int i, int j, Use use) const {
    const int start = j > i ? m(i) * members(i + 1, j) : phases_ - (m(j) * members(j + 1, i + 1));
    for (int u = 0; u < m(i) * m(j); ++u) {
      const int phase = start + u;
      if (i == 0) {
        use(phase, rank(0, first_sender(phase)), rank(j, wrapped(phase - phases_, m(j))));
      } else if (j == 0) {
        use(phase, rank(i, u / m(0)), rank(0, first_receiver(phase)));
      } else {
        use(phase, rank(i, u / m(j)), rank(j, wrapped(phase - phases_, m(j))));
      }
    }
  }

  /// The same for all messages within branch i: a message goes from who receives from another branch to who sends to
  /// one, so it needs no link that those use.
  template <class Use>
  void within(int i, Use use) const {
    if (i == 0) {
      for (int phase = 0; phase < m(0) * (m(0) - 1); ++phase)
        use(phase, rank(0, first_receiver(phase)), rank(0, first_sender(phase)));
      return;
    }
    const int before = m(i - 1);
    for (int x = 0; x < m(i); ++x)
      for (int k = 0; k < m(i); ++k) {
        const int phase = phases_ - (before * m(i)) + (x * before) + k;
        const int y = wrapped(phase - phases_, m(i));
        if (y != x) use(phase, rank(i, y), rank(i, x));
      }
  }

 private:
  /// Members of the branches from `first` up to, without, `end`.
  [[nodiscard]] int members(int first, int end) const {
    return end <= first ? 0 : before_[static_cast<std::size_t>(end)] - before_[static_cast<std::size_t>(first)];
  }
  /// The member of branch 0 that sends to another branch in a phase; in each phase one does.
  [[nodiscard]] int first_sender(int phase) const {
    const auto above = std::upper_bound(before_.begin() + 1, before_.end(), m(0) + (phase / m(0)));
    const int to = static_cast<int>(above - before_.begin()) - 1;
    const int u = phase - (m(0) * members(1, to));
    const int period = std::lcm(m(0), m(to));
    return (u + (period > 0 ? u / period : 0)) % m(0);
  }
  [[nodiscard]] int first_receiver(int phase) const { return (first_sender(phase) + (phase / m(0)) + 1) % m(0); }

  std::vector<Branch> branches_;
  std::vector<int> before_;  ///< members of the branches before each
  int phases_ = 0;
};

}  // namespace

std::int64_t contention_free_phase_count(const SwitchTree& tree) {
  if (tree.ranks() < 2) return 0;
  const auto fullest = static_cast<std::int64_t>(branches_of(tree).front().size());
  return fullest * (tree.ranks() - fullest);
}

std::vector<Phase> contention_free_phases(const SwitchTree& tree, int rank) {
  if (tree.ranks() < 2) return {};
  const Exchange exchange(branches_of(tree));
  std::vector<Phase> mine(static_cast<std::size_t>(exchange.phases()));
  const auto note = [&](int phase, int sender, int receiver) {
    if (sender == rank) mine[static_cast<std::size_t>(phase)].to = receiver;
    if (receiver == rank) mine[static_cast<std::size_t>(phase)].from = sender;
  };
  int home = 0;
  for (int branch = 0; branch < exchange.branches(); ++branch)
    for (int member = 0; member < exchange.m(branch); ++member)
      if (exchange.rank(branch, member) == rank) home = branch;
  for (int other = 0; other < exchange.branches(); ++other) {
    if (other == home) continue;
    exchange.between(home, other, note);
    exchange.between(other, home, note);
  }
  exchange.within(home, note);
  return mine;
}

}  // namespace starling
