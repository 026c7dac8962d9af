#include "neighborhood/rounds.hpp"

#include <algorithm>

#include "neighborhood/index.hpp"

namespace starling::neighborhood {
namespace {

/// The links of a graph in rounds: no two of a round begin, or end, at the same rank.
class Colouring {
 public:
  Colouring(std::span<const Link> links, int ranks)
      : links_(links), rounds_(most_links(links, ranks)), out_(table(ranks)), in_(table(ranks)) {
    for (std::size_t i = 0; i < links.size(); ++i) place(static_cast<int>(i));
  }

  [[nodiscard]] int rounds() const { return rounds_; }
  /// The link that leaves, or reaches, a rank in a round; null if there is none.
  [[nodiscard]] const Link* out(int rank, int round) const { return link(out_[cell(rank, round)]); }
  [[nodiscard]] const Link* in(int rank, int round) const { return link(in_[cell(rank, round)]); }

 private:
  static int most_links(std::span<const Link> links, int ranks) {
    std::vector<int> out(index(ranks));
    std::vector<int> in(index(ranks));
    int most = 0;
    for (const Link& one : links) most = std::max({most, ++out[index(one.from)], ++in[index(one.to)]});
    return most;
  }
  [[nodiscard]] std::vector<int> table(int ranks) const {
    std::vector<int> none(index(ranks) * index(rounds_), -1);
    return none;
  }
  [[nodiscard]] std::size_t cell(int rank, int round) const { return (index(rank) * index(rounds_)) + index(round); }
  [[nodiscard]] const Link* link(int number) const { return number < 0 ? nullptr : &links_[index(number)]; }
  [[nodiscard]] int free_round(const std::vector<int>& of, int rank) const {
    for (int round = 0; round < rounds_; ++round)
      if (of[cell(rank, round)] < 0) return round;
    return -1;  // never: no rank has more links than there are rounds
  }

  void place(int number) {
    const Link& one = links_[index(number)];
    if (one.send < rounds_ && out_[cell(one.from, one.send)] < 0 && in_[cell(one.to, one.send)] < 0)
      return put(number, one.send);
    const int free_out = free_round(out_, one.from);
    const int free_in = free_round(in_, one.to);
    if (in_[cell(one.to, free_out)] >= 0) exchange_rounds(one.to, free_out, free_in);
    put(number, free_out);
  }
  void put(int number, int round) {
    const Link& one = links_[index(number)];
    out_[cell(one.from, round)] = number;
    in_[cell(one.to, round)] = number;
  }
  /// Exchanges two rounds along the path of their links that ends at `rank`, which receives in `first` and not in
  /// `second`. It does not reach the sender that has no link in `first`: it would have to come there by one.
  void exchange_rounds(int rank, int first, int second) {
    std::vector<int> path;
    int round = first;
    for (int number = in_[cell(rank, first)]; number >= 0;) {
      path.push_back(number);
      round = round == first ? second : first;
      const bool came_in = path.size() % 2 == 1;
      const Link& one = links_[index(number)];
      number = came_in ? out_[cell(one.from, round)] : in_[cell(one.to, round)];
    }
    round = first;
    for (const int number : path) {
      out_[cell(links_[index(number)].from, round)] = -1;
      in_[cell(links_[index(number)].to, round)] = -1;
      round = round == first ? second : first;
    }
    round = second;
    for (const int number : path) {
      put(number, round);
      round = round == first ? second : first;
    }
  }

  std::span<const Link> links_;
  int rounds_;
  std::vector<int> out_;  ///< by rank and round, the number of the link
  std::vector<int> in_;
};

}  // namespace

bool sends_first(int rank, const std::function<int(int)>& next, const std::function<int(int)>& previous) {
  int first = rank;
  for (int other = previous(rank); other >= 0; other = previous(other)) {
    if (other == rank) {  // a circle: counted from its lowest rank
      first = rank;
      for (other = next(rank); other != rank; other = next(other)) first = std::min(first, other);
      break;
    }
    first = other;
  }
  bool sends = true;
  for (; first != rank; first = next(first)) sends = !sends;
  return sends;
}

Rounds rounds_on(const Grid& grid, int rank, Corners corners) {
  const std::vector<Direction> all = directions(grid.dimensions, corners);
  Rounds rounds;
  rounds.sends = rounds.receives = static_cast<int>(all.size());
  for (int number = 0; number < rounds.sends; ++number) {
    const Direction& forward = all[index(number)];
    const Direction& back = all[index(opposite(number))];
    Round round;
    round.to = grid.neighbour(rank, forward);
    if (round.to >= 0) round.send = number;
    round.from = grid.neighbour(rank, back);
    if (round.from >= 0) round.receive = opposite(number);
    round.sends_first = sends_first(
        rank, [&](int one) { return grid.neighbour(one, forward); },
        [&](int one) { return grid.neighbour(one, back); });
    rounds.all.push_back(round);
    const bool ends_dimension = corners == Corners::by_dimension && number % 2 == 1;
    if (ends_dimension || number + 1 == rounds.sends) rounds.stage_ends.push_back(number + 1);
  }
  return rounds;
}

Rounds rounds_on(std::span<const Link> links, int ranks, int rank) {
  const Colouring colouring(links, ranks);
  Rounds rounds;
  for (const Link& one : links) {
    if (one.from == rank) rounds.sends = std::max(rounds.sends, one.send + 1);
    if (one.to == rank) rounds.receives = std::max(rounds.receives, one.receive + 1);
  }
  for (int number = 0; number < colouring.rounds(); ++number) {
    Round round;
    const auto next = [&](int one) {
      const Link* const link = colouring.out(one, number);
      return link == nullptr ? -1 : link->to;
    };
    const auto previous = [&](int one) {
      const Link* const link = colouring.in(one, number);
      return link == nullptr ? -1 : link->from;
    };
    if (const Link* const out = colouring.out(rank, number)) {
      round.to = out->to;
      round.send = out->send;
    }
    if (const Link* const in = colouring.in(rank, number)) {
      round.from = in->from;
      round.receive = in->receive;
    }
    round.sends_first = sends_first(rank, next, previous);
    rounds.all.push_back(round);
  }
  if (!rounds.all.empty()) rounds.stage_ends.push_back(colouring.rounds());
  return rounds;
}

}  // namespace starling::neighborhood
