// attribute: finds the best value of each attribute, and leaves out all candidates without it.
//
//   compare      two candidates that differ in one attribute only | the faster one's value has won
//   drop         a value that lost to another one in two comparisons, and in more than it won: candidates with it are
//                not measured any more
//   measure      those that are left, once no comparison can save more calls than it takes; the fastest is used
//
// This assumes that attributes are uncorrelated: that a value which is better in two comparisons is better in all. The
// variant `tested` looks whether they are: one more candidate is tried that has two values at once which two others
// have alone; a value that was clearly better in one comparison is not dropped for two that say otherwise; every
// candidate that differs from the fastest in one attribute is measured, until that fastest has no faster neighbour; and
// others, until the times measured so far make it improbable that any is faster
// (`Outlook`).
//
// One of each kind comes along early, and a slow kind is not measured any more. As published there are no kinds.

#include <algorithm>
#include <limits>
#include <tuple>

#include "selection/search.hpp"

namespace starling::strategies {
namespace {

/// Comparisons that confirm a value.
constexpr int confirmed = 2;
constexpr std::string_view tested = "tested";
/// A value with which calls take so many times as long is not combined with others only to look what they do together.
constexpr double too_slow = 2;
/// `tested` goes on while any other is faster by `early_stop_margin` with this probability, unless early stopping has
/// its own: others that are improbable each may be probable together.
constexpr double likely = 0.02;

/// How often each value of an attribute was the better one, by pairs of values.
class Score {
 public:
  explicit Score(int values) : values_(static_cast<std::size_t>(values)), of_pairs_(values_ * values_) {}

  struct Wins {
    int all = 0;
    int clear = 0;  ///< by more than chance
  };
  Wins& of(int winner, int loser) { return of_pairs_[place(winner, loser)]; }
  [[nodiscard]] const Wins& of(int winner, int loser) const { return of_pairs_[place(winner, loser)]; }

 private:
  [[nodiscard]] std::size_t place(int winner, int loser) const {
    return (static_cast<std::size_t>(winner) * values_) + static_cast<std::size_t>(loser);
  }

  std::size_t values_;
  std::vector<Wins> of_pairs_;
};

class Attribute final : public SearchPlan {
 public:
  explicit Attribute(const Brief& brief) : SearchPlan(brief), tests_(brief.argument == tested) {}

  std::vector<int> choose(const Trials& trials) override {
    if (std::vector<int> few = first_few(trials); !few.empty()) return few;
    if (std::vector<int> one = corner(trials); tests_ && !one.empty()) return one;
    std::vector<int> more = begun(space().members(), trials);
    compare(trials);
    drop();
    leave_out_kinds(trials);
    // Some get their last calls now: the next comparison comes along, for an agreement takes time as well.
    if (std::any_of(more.begin(), more.end(), [&](int one) { return trials.calls(one) < second_look; })) return more;
    for (const int one : next_pair(trials)) more.push_back(one);
    for (const int one : of_new_kinds(trials))
      if (std::find(more.begin(), more.end(), one) == more.end()) more.push_back(one);
    if (!more.empty()) return more;
    because(in_words());
    if (std::vector<int> rest = rest_of(left(trials), trials, settings().early_stop); !rest.empty() || !tests_)
      return one_of_each_new_kind(rest, trials);
    if (std::vector<int> near = neighbours(trials); !near.empty()) return one_of_each_new_kind(near, trials);
    return rest_of(space().members(), trials, settings().early_stop > 0 ? settings().early_stop : likely);
  }

  void forget() override {
    // Not `= {}`, which keeps the memory.
    scores_ = std::vector<Score>();
    kept_ = std::vector<std::vector<bool>>();
    kinds_left_out_ = std::vector<bool>();
  }

 private:
  void compare(const Trials& trials) {
    scores_.clear();
    for (int attribute = 0; attribute < space().attributes(); ++attribute)
      scores_.emplace_back(space().values(attribute));
    for (const AttributeSpace::Pair& pair : space().pairs()) {
      if (!trials.tried(pair.one) || !trials.tried(pair.other)) continue;
      if (!trials.known(pair.one) || !trials.known(pair.other)) continue;
      const bool one_wins = trials.time(pair.one) < trials.time(pair.other);
      const int winner = one_wins ? pair.one : pair.other;
      const int loser = one_wins ? pair.other : pair.one;
      const bool is_clear = trials.clearly_slower(loser, winner);
      // Two that were given up have few times: which of them looks faster may be chance.
      if (!is_clear && trials.given_up(winner) && trials.given_up(loser)) continue;
      Score::Wins& wins = scores_[static_cast<std::size_t>(pair.attribute)].of(space().value(winner, pair.attribute),
                                                                               space().value(loser, pair.attribute));
      ++wins.all;
      if (is_clear) ++wins.clear;
    }
  }

  [[nodiscard]] bool is_beaten(const Score& score, int value, int by) const {
    const Score::Wins& lost = score.of(by, value);
    const Score::Wins& won = score.of(value, by);
    return lost.all >= confirmed && (tests_ ? won.clear == 0 && lost.clear > 0 : true) && lost.all > won.all;
  }

  void drop() {
    kept_.clear();
    for (int attribute = 0; attribute < space().attributes(); ++attribute) {
      const Score& score = scores_[static_cast<std::size_t>(attribute)];
      std::vector<bool>& kept = kept_.emplace_back(space().values(attribute), true);
      for (int value = 0; value < space().values(attribute); ++value)
        for (int by = 0; by < space().values(attribute) && keeps(attribute, value); ++by)
          if (keeps(attribute, by) && is_beaten(score, value, by)) kept[static_cast<std::size_t>(value)] = false;
    }
  }

  [[nodiscard]] bool keeps(int attribute, int value) const {
    return kept_[static_cast<std::size_t>(attribute)][static_cast<std::size_t>(value)];
  }
  void leave_out_kinds(const Trials& trials) {
    kinds_left_out_.assign(static_cast<std::size_t>(space().kinds()), false);
    for (const int member : space().members())
      if (is_of_slow_kind(member, trials)) kinds_left_out_[static_cast<std::size_t>(space().kind(member))] = true;
  }
  [[nodiscard]] bool keeps_kind_of(int candidate) const {
    return !kinds_left_out_[static_cast<std::size_t>(space().kind(candidate))];
  }
  [[nodiscard]] bool is_left(int candidate) const {
    if (!keeps_kind_of(candidate)) return false;
    for (int attribute = 0; attribute < space().attributes(); ++attribute)
      if (!keeps(attribute, space().value(candidate, attribute)) && (!tests_ || has_better(candidate, attribute)))
        return false;
    return true;
  }
  /// Whether there is a candidate that differs only in having a value of the attribute that is not dropped.
  [[nodiscard]] bool has_better(int candidate, int attribute) const {
    return std::any_of(space().pairs().begin(), space().pairs().end(), [&](const AttributeSpace::Pair& pair) {
      if (pair.attribute != attribute || (pair.one != candidate && pair.other != candidate)) return false;
      return keeps(attribute, space().value(pair.one == candidate ? pair.other : pair.one, attribute));
    });
  }
  [[nodiscard]] std::vector<int> left(const Trials& trials) const {
    std::vector<int> found;
    for (const int member : space().members())
      if (trials.eligible(member) && is_left(member)) found.push_back(member);
    return found;
  }
  [[nodiscard]] int values_left(int attribute) const {
    const std::vector<bool>& kept = kept_[static_cast<std::size_t>(attribute)];
    return static_cast<int>(std::count(kept.begin(), kept.end(), true));
  }

  /// The comparison that takes fewest new candidates, of attributes with few values first, near the fastest.
  [[nodiscard]] std::vector<int> next_pair(const Trials& trials) const {
    std::vector<int> best;
    std::tuple<std::size_t, int, double> cost_of_best;
    for (const AttributeSpace::Pair& pair : space().pairs()) {
      if (!trials.eligible(pair.one) || !trials.eligible(pair.other) || !is_left(pair.one) || !is_left(pair.other))
        continue;
      std::vector<int> missing;
      for (const int one : {pair.one, pair.other})
        if (!trials.tried(one)) missing.push_back(one);
      if (missing.empty() || !pays(pair, trials)) continue;
      double known = std::numeric_limits<double>::infinity();
      for (const int one : {pair.one, pair.other}) known = std::min(known, trials.time(one));
      const std::tuple cost{missing.size(), values_left(pair.attribute), known};
      if (!best.empty() && cost >= cost_of_best) continue;
      best = std::move(missing);
      cost_of_best = cost;
    }
    return best;
  }

  /// One of each new kind, which differs from the fastest in one attribute.
  [[nodiscard]] std::vector<int> of_new_kinds(const Trials& trials) const {
    if (!trials.gives_up()) return {};
    std::vector<int> near = neighbours(trials);
    std::erase_if(near, [&](int one) { return !is_of_new_kind(one, trials) || !is_left(one); });
    return one_of_each_new_kind(near, trials);
  }

  /// Whether dropping either of the values would save more candidates than the comparisons that it still takes.
  [[nodiscard]] bool pays(const AttributeSpace::Pair& pair, const Trials& trials) const {
    const int value = space().value(pair.one, pair.attribute);
    const int other = space().value(pair.other, pair.attribute);
    const Score& score = scores_[static_cast<std::size_t>(pair.attribute)];
    if (tests_ && score.of(value, other).clear > 0 && score.of(other, value).clear > 0) return false;
    const int needed = std::max(1, confirmed - std::max(score.of(value, other).all, score.of(other, value).all));
    int of_value = 0;
    int of_other = 0;
    for (const int member : space().members()) {
      if (trials.known(member) || !is_left(member)) continue;
      if (space().value(member, pair.attribute) == value) ++of_value;
      if (space().value(member, pair.attribute) == other) ++of_other;
    }
    return std::min(of_value, of_other) > needed;
  }

  /// One that differs from the fastest in two attributes, in each of which alone another one that was tried does: it
  /// tells whether these are correlated. Those with few values, which many share. Nothing where it was tried.
  [[nodiscard]] std::vector<int> corner(const Trials& trials) const {
    const int best = trials.best();
    std::vector<int> near;
    for (const AttributeSpace::Pair& pair : space().pairs())
      if (pair.one == best || pair.other == best) near.push_back(pair.one == best ? pair.other : pair.one);
    // Infinite where it was not tried.
    std::erase_if(near, [&](int one) { return trials.time(one) > too_slow * trials.time(best); });
    int found = -1;
    int values_of_found = 0;
    for (const int member : space().members()) {
      if (!trials.eligible(member) || space().differences(best, member) != 2) continue;
      const auto sides =
          std::count_if(near.begin(), near.end(), [&](int one) { return space().differences(one, member) == 1; });
      if (sides < 2) continue;
      int values = 0;
      for (int attribute = 0; attribute < space().attributes(); ++attribute)
        if (space().value(best, attribute) != space().value(member, attribute)) values += space().values(attribute);
      if (found >= 0 && values >= values_of_found) continue;
      found = member;
      values_of_found = values;
    }
    if (found < 0 || trials.tried(found)) return {};
    return {found};
  }

  /// Those that differ from the fastest in one attribute, but for kinds that are left out.
  [[nodiscard]] std::vector<int> neighbours(const Trials& trials) const {
    const int best = trials.best();
    std::vector<int> near;
    for (const AttributeSpace::Pair& pair : space().pairs())
      if (pair.one == best || pair.other == best) near.push_back(pair.one == best ? pair.other : pair.one);
    std::erase_if(near, [&](int one) { return !keeps_kind_of(one); });
    return unknown(near, trials);
  }

  [[nodiscard]] std::string in_words() const {
    std::string text;
    for (int attribute = 0; attribute < space().attributes(); ++attribute) {
      const int count = values_left(attribute);
      if (count == space().values(attribute)) continue;
      std::string values;
      for (int value = 0; value < space().values(attribute); ++value)
        if (keeps(attribute, value)) values += (values.empty() ? "" : " or ") + space().in_words(attribute, value);
      text += (text.empty() ? "" : ", ") + values;
    }
    std::string all = text.empty() ? text : "two comparisons each were for " + text;
    for (int kind = 0; kind < space().kinds(); ++kind)
      if (kinds_left_out_[static_cast<std::size_t>(kind)])
        all += (all.empty() ? "" : "; ") + space().kind_in_words(kind) + " is much slower";
    return all;
  }

  bool tests_;
  std::vector<bool> kinds_left_out_;     ///< of each kind
  std::vector<Score> scores_;            ///< of each attribute
  std::vector<std::vector<bool>> kept_;  ///< of each attribute, whether a value is not dropped
};

}  // namespace

StrategyKind attribute() {
  return {
      .name = "attribute",
      .says =
          "finds the best value of each attribute by comparing candidates that differ in it alone; :tested looks "
          "whether attributes are correlated",
      .source = "Gabriel, Feki, Benkert and Resch 2008 (ADCL), section 2",
      .argument = "tested",
      .learns = true,
      .searches = true,
      .by_attributes = true,
      .keeps_trying = true,
      .stages = {Search::stages.begin(), Search::stages.end()},
      .rejects = [](std::string_view argument) -> std::string {
        return argument.empty() || argument == tested ? "" : "there is attribute, and attribute:tested";
      },
      .may_be_told = Search::may_be_told,
      .make = search_by<Attribute>,
  };
}

}  // namespace starling::strategies
