#include "topology/phase_order.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "topology/phased_exchange.hpp"

namespace starling {
namespace {

using Link = PhasedExchange::Link;
using Message = PhasedExchange::Message;

/// The word of the receiver of a message to who sends over one of its links next.
struct Word {
  int peer;   ///< the other rank of the word
  int phase;  ///< before whose messages it is said
  int after;  ///< the phase of the message that has been received then
};

/// Whether over the links that both messages use none of another rank than the earlier one's sender goes in the phases
/// between. One that did would begin after the earlier one and end before the later one, by words of its own.
bool follow_at_once(const PhasedExchange& exchange, const Message& earlier, const Message& later) {
  const std::vector<Link> others = exchange.way(later);
  for (const Link& link : exchange.way(earlier)) {
    if (std::find(others.begin(), others.end(), link) == others.end()) continue;
    auto one = exchange.next(link, earlier.phase);
    while (one && one->from == earlier.from) one = exchange.next(link, one->phase);
    if (one && one->phase < later.phase) return false;
  }
  return true;
}

/// Adds the words of who has received `done` to `words`.
void tell(std::vector<Word>& words, const PhasedExchange& exchange, const Message& done) {
  for (const Link& link : exchange.way(done)) {
    auto next = exchange.next(link, done.phase);
    while (next && next->from == done.from) next = exchange.next(link, next->phase);
    if (next && next->from != done.to && follow_at_once(exchange, done, *next))
      words.push_back({next->from, next->phase, done.phase});
  }
}

/// Adds the words that the sender of `next` waits for.
void hear(std::vector<Word>& words, const PhasedExchange& exchange, const Message& next) {
  for (const Link& link : exchange.way(next)) {
    const auto last = exchange.previous(link, next.phase);
    if (!last || last->from == next.from) continue;
    for (auto done = last; done && done->from == last->from; done = exchange.previous(link, done->phase))
      if (done->to != next.from && follow_at_once(exchange, *done, next))
        words.push_back({done->to, next.phase, done->phase});
  }
}

/// Without the words that an earlier word says already, or a message of the same rank to the same one: `phases[r]` is
/// that of the message from or to rank r.
std::vector<Word> without_repetitions(std::vector<Word> words, const std::map<int, int>& phases) {
  std::sort(words.begin(), words.end(), [](const Word& one, const Word& other) {
    return std::tuple(one.peer, one.phase, other.after) < std::tuple(other.peer, other.phase, one.after);
  });
  std::vector<Word> kept;
  for (const Word& word : words) {
    const int message = phases.at(word.peer);
    const bool by_message = word.after < message && message < word.phase;
    const bool by_word = !kept.empty() && kept.back().peer == word.peer && word.after < kept.back().phase;
    if (!by_message && !by_word) kept.push_back(word);
  }
  return kept;
}

}  // namespace

std::vector<OrderedPhase> ordered_phases(const SwitchTree& tree, int rank) {
  if (tree.ranks() < 2) return {};
  const PhasedExchange exchange(tree);
  std::map<int, OrderedPhase> all;
  std::map<int, int> sent;      // the phase of the message to each rank
  std::map<int, int> received;  // of that from each rank
  std::vector<Word> told;
  std::vector<Word> heard;
  for (int phase = 0; phase < exchange.phases(); ++phase) {
    if (const auto one = exchange.sent_by(rank, phase)) {
      all[phase].messages.to = one->to;
      sent[one->to] = phase;
      hear(heard, exchange, *one);
    }
    if (const auto one = exchange.received_by(rank, phase)) {
      all[phase].messages.from = one->from;
      received[one->from] = phase;
      tell(told, exchange, *one);
    }
  }
  for (const Word& word : without_repetitions(std::move(told), sent)) all[word.phase].tells.push_back(word.peer);
  for (const Word& word : without_repetitions(std::move(heard), received)) all[word.phase].hears.push_back(word.peer);

  std::vector<OrderedPhase> mine;
  mine.reserve(all.size());
  for (auto& [phase, one] : all) mine.push_back(std::move(one));
  return mine;
}

}  // namespace starling
