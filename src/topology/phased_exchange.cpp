#include "topology/phased_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starling {
namespace {

int wrapped(int value, int modulus) {
  return ((value % modulus) + modulus) % modulus;
}

bool holds(const PhasedExchange::Link& link, int member) {
  return link.first <= member && member < link.last;
}

/// The first of the numbers 0, ..., end - 1 for which `is_so`, which then is so of all after it; `end` where of none.
template <class Test>
int first_of(int end, Test is_so) {
  int first = 0;
  while (first < end) {
    const int half = (first + end) / 2;
    if (is_so(half)) {
      end = half;
    } else {
      first = half + 1;
    }
  }
  return first;
}

}  // namespace

PhasedExchange::PhasedExchange(const SwitchTree& tree) : places_(index(tree.ranks())), before_{0} {
  plant(tree);
  for (int branch = 0; branch < branches(); ++branch) {
    for (int member = 0; member < m(branch); ++member) places_[index(rank(branch, member))] = {branch, member};
    for (Link& link : branches_[index(branch)].links) link.branch = branch;
    before_.push_back(before_.back() + m(branch));
  }
  phases_ = m(0) * (tree.ranks() - m(0));
}

/// Finds the switch in the middle, and its branches.
void PhasedExchange::plant(const SwitchTree& tree) {
  for (int middle = 0; middle < tree.switches(); ++middle) {
    branches_.clear();
    for (const int next : tree.neighbours(middle)) {
      Branch branch = branch_behind(tree, middle, next);
      if (!branch.ranks.empty()) branches_.push_back(std::move(branch));
    }
    for (const int rank : tree.ranks_of(middle)) branches_.push_back({{rank}, {}});
    std::stable_sort(branches_.begin(), branches_.end(),
                     [](const Branch& one, const Branch& other) { return one.ranks.size() > other.ranks.size(); });
    if (2 * m(0) <= tree.ranks()) return;
  }
}

PhasedExchange::Branch PhasedExchange::branch_behind(const SwitchTree& tree, int from, int into) {
  Branch branch{tree.ranks_of(into), {}};
  for (const int next : tree.neighbours(into)) {
    if (next == from) continue;
    const Branch part = branch_behind(tree, into, next);
    const int shift = static_cast<int>(branch.ranks.size());
    for (const Link& link : part.links) branch.links.push_back({0, link.first + shift, link.last + shift, true});
    branch.ranks.insert(branch.ranks.end(), part.ranks.begin(), part.ranks.end());
  }
  const Link whole{0, 0, static_cast<int>(branch.ranks.size()), true};
  const bool is_there = !branch.links.empty() && branch.links.back() == whole;
  if (whole.last > 1 && !is_there) branch.links.push_back(whole);
  return branch;
}

int PhasedExchange::branch_of(int member) const {
  return static_cast<int>(std::upper_bound(before_.begin() + 1, before_.end(), member) - before_.begin()) - 1;
}

/// The member of branch 0 that sends to another branch in a phase; in each phase one does.
int PhasedExchange::first_sender(int phase) const {
  const int to = branch_of(m(0) + (phase / m(0)));
  const int u = phase - (m(0) * members(1, to));
  const int period = std::lcm(m(0), m(to));
  return (u + (period > 0 ? u / period : 0)) % m(0);
}

/// The member of branch 0 that receives from another branch in a phase.
int PhasedExchange::first_receiver(int phase) const {
  return (first_sender(phase) + (phase / m(0)) + 1) % m(0);
}

/// The same for other branches, in phases in which one does.
int PhasedExchange::other_receiver(int branch, int phase) const {
  return wrapped(phase - phases_, m(branch));
}

/// The message from branch i to branch j in a phase of the window that begins with phase `start`.
PhasedExchange::Message PhasedExchange::between(int i, int j, int phase, int start) const {
  const int sender = i == 0 ? first_sender(phase) : (phase - start) / m(j);
  return {rank(i, sender), rank(j, j == 0 ? first_receiver(phase) : other_receiver(j, phase)), phase};
}

// The window from branch i to branch j has m(i) m(j) phases, from m(i) members(i + 1, j) where j > i, else from
// phases - m(j) members(j + 1, i + 1).

PhasedExchange::Window PhasedExchange::window_out(int branch, int phase) const {
  const int i = branch;
  const int upwards = m(i) * members(i + 1, branches());
  if (phase < upwards) {
    const int j = branch_of(before_[index(i + 1)] + (phase / m(i)));
    const int first = m(i) * members(i + 1, j);
    return {j, first, first + (m(i) * m(j))};
  }
  const auto start = [&](int j) { return phases_ - (m(j) * members(j + 1, i + 1)); };
  const int next = first_of(i, [&](int j) { return start(j) > phase; });
  const int end = next == 0 ? upwards : start(next - 1) + (m(i) * m(next - 1));
  if (phase < end) return {next - 1, start(next - 1), end};
  return {-1, end, next < i ? start(next) : phases_};
}

PhasedExchange::Window PhasedExchange::window_in(int branch, int phase) const {
  const int j = branch;
  const int downwards = phases_ - (m(j) * members(j + 1, branches()));
  if (phase >= downwards) {
    const int i = branch_of(before_[index(j + 1)] + ((phases_ - phase - 1) / m(j)));
    const int first = phases_ - (m(j) * members(j + 1, i + 1));
    return {i, first, first + (m(i) * m(j))};
  }
  const auto start = [&](int i) { return m(i) * members(i + 1, j); };
  const int i = first_of(j, [&](int one) { return start(one) <= phase; });
  const int end = start(i) + (m(i) * m(j));
  if (phase < end) return {i, start(i), end};
  return {-1, end, i > 0 ? start(i - 1) : downwards};
}

std::optional<PhasedExchange::Message> PhasedExchange::leaving(int branch, int phase) const {
  const Window window = window_out(branch, phase);
  if (window.other < 0) return std::nullopt;
  return between(branch, window.other, phase, window.first);
}

std::optional<PhasedExchange::Message> PhasedExchange::entering(int branch, int phase) const {
  const Window window = window_in(branch, phase);
  if (window.other < 0) return std::nullopt;
  return between(window.other, branch, phase, window.first);
}

std::optional<PhasedExchange::Message> PhasedExchange::inside(int branch, int phase) const {
  if (branch == 0) {
    if (phase >= m(0) * (m(0) - 1)) return std::nullopt;
    return Message{rank(0, first_receiver(phase)), rank(0, first_sender(phase)), phase};
  }
  const int earlier = m(branch - 1);
  const int u = phase - (phases_ - (earlier * m(branch)));
  if (u < 0 || u % earlier >= m(branch)) return std::nullopt;
  const int to = u / earlier;
  const int from = other_receiver(branch, phase);
  if (from == to) return std::nullopt;
  return Message{rank(branch, from), rank(branch, to), phase};
}

std::optional<PhasedExchange::Message> PhasedExchange::sent_by(int rank, int phase) const {
  const int home = place(rank).branch;
  if (const auto one = leaving(home, phase); one && one->from == rank) return one;
  if (const auto one = inside(home, phase); one && one->from == rank) return one;
  return std::nullopt;
}

std::optional<PhasedExchange::Message> PhasedExchange::received_by(int rank, int phase) const {
  const int home = place(rank).branch;
  if (const auto one = entering(home, phase); one && one->to == rank) return one;
  if (const auto one = inside(home, phase); one && one->to == rank) return one;
  return std::nullopt;
}

std::vector<PhasedExchange::Link> PhasedExchange::way(const Message& message) const {
  const Place& from = place(message.from);
  const Place& to = place(message.to);
  const bool stays = from.branch == to.branch;
  std::vector<Link> links;
  for (const Link& link : branches_[index(from.branch)].links)
    if (holds(link, from.member) && !(stays && holds(link, to.member))) links.push_back(link);
  for (Link link : branches_[index(to.branch)].links) {
    link.up = false;
    if (holds(link, to.member) && !(stays && holds(link, from.member))) links.push_back(link);
  }
  links.push_back({to.branch, to.member, to.member + 1, false});
  return links;
}

/// The message that goes over `link` in a phase.
std::optional<PhasedExchange::Message> PhasedExchange::user(const Link& link, int phase) const {
  const auto nearer = [&](const Message& one) { return place(link.up ? one.from : one.to).member; };
  const auto farther = [&](const Message& one) { return place(link.up ? one.to : one.from).member; };
  const auto across = link.up ? leaving(link.branch, phase) : entering(link.branch, phase);
  if (across && holds(link, nearer(*across))) return across;
  const auto within = inside(link.branch, phase);
  if (within && holds(link, nearer(*within)) && !holds(link, farther(*within))) return within;
  return std::nullopt;
}

PhasedExchange::Window PhasedExchange::quiet(const Link& link, int phase) const {
  Window gap = link.up ? window_out(link.branch, phase) : window_in(link.branch, phase);
  // Phases in which messages stay inside the branch.
  const int branch = link.branch;
  const int first = branch == 0 ? 0 : phases_ - (m(branch - 1) * m(branch));
  const int end = branch == 0 ? m(0) * (m(0) - 1) : m(branch) == 1 ? first : phases_;
  const bool is_busy = gap.other >= 0 || (first <= phase && phase < end);
  if (is_busy) return {-1, phase, phase + 1};
  if (phase < first) gap.end = std::min(gap.end, first);
  if (phase >= end) gap.first = std::max(gap.first, end);
  return gap;
}

std::optional<PhasedExchange::Message> PhasedExchange::next(const Link& link, int phase) const {
  for (int now = phase + 1; now < phases_; now = quiet(link, now).end)
    if (const auto one = user(link, now)) return one;
  return std::nullopt;
}

std::optional<PhasedExchange::Message> PhasedExchange::previous(const Link& link, int phase) const {
  for (int now = phase - 1; now >= 0; now = quiet(link, now).first - 1)
    if (const auto one = user(link, now)) return one;
  return std::nullopt;
}

}  // namespace starling
