// factorial: a 2^k design (Jain 1991, chapter 17). Of each attribute two values count, the least and the greatest:
//
//              partners  data
//   candidate     -       -      t1      effect of partners  (-t1 + t2 - t3 + t4) / 2, of the logarithms of times
//   candidate     +       -      t2      effect of data      (-t1 - t2 + t3 + t4) / 2
//   candidate     -       +      t3      of both together    ( t1 - t2 - t3 + t4) / 2
//   candidate     +       +      t4
//
// An attribute is searched further if its effect, or that of it together with another one, reaches the threshold; so is
// one with three words or more, of which no two are extreme. The others keep the better of their two values. Every
// combination of values of the attributes that are searched is then measured.
//
// Corners that no candidate has, or that cannot serve, are left out: an effect is the mean over those pairs of corners
// that differ in the attribute alone, which is what the table of signs gives where there are all. An attribute without
// such a pair is searched. A combination without a candidate at the fixed values is represented by the one that differs
// from these in fewest attributes.

#include <algorithm>
#include <cmath>
#include <map>

#include "selection/figures.hpp"
#include "selection/search.hpp"

namespace starling::strategies {
namespace {

class Factorial final : public SearchPlan {
 public:
  using SearchPlan::SearchPlan;

  std::vector<int> choose(const Trials& trials) override {
    const std::vector<int> corners = this->corners(trials);
    if (std::vector<int> rest = unknown(corners, trials); !rest.empty()) return rest;
    find_effects(corners, trials);
    because(in_words());
    return rest_of(representatives(trials), trials, settings().early_stop);
  }

 private:
  struct Effect {
    double change = 0;  ///< of the logarithm of the time, from the least to the greatest value
    int pairs = 0;      ///< that it is the mean of
    bool searched = true;
    int better = 0;  ///< value
  };

  [[nodiscard]] bool is_corner(int candidate) const {
    for (int attribute = 0; attribute < space().attributes(); ++attribute) {
      const int value = space().value(candidate, attribute);
      if (value != space().lowest(attribute) && value != space().highest(attribute)) return false;
    }
    return true;
  }
  [[nodiscard]] std::vector<int> corners(const Trials& trials) const {
    std::vector<int> found;
    for (const int member : space().members())
      if (trials.eligible(member) && is_corner(member)) found.push_back(member);
    return found;
  }

  /// The corner that has the other extreme value of one attribute; -1 where there is none.
  [[nodiscard]] int opposite(int corner, int attribute, const std::vector<int>& corners) const {
    for (const AttributeSpace::Pair& pair : space().pairs()) {
      if (pair.attribute != attribute || (pair.one != corner && pair.other != corner)) continue;
      const int other = pair.one == corner ? pair.other : pair.one;
      if (std::find(corners.begin(), corners.end(), other) != corners.end()) return other;
    }
    return -1;
  }

  void find_effects(const std::vector<int>& corners, const Trials& trials) {
    const int count = space().attributes();
    effects_.assign(static_cast<std::size_t>(count), {});
    const auto log_time = [&](int candidate) { return std::log(trials.time(candidate)); };
    for (int attribute = 0; attribute < count; ++attribute) {
      Effect& effect = effects_[static_cast<std::size_t>(attribute)];
      for (const int low : corners) {
        if (space().value(low, attribute) != space().lowest(attribute)) continue;
        const int high = opposite(low, attribute, corners);
        if (high < 0) continue;
        effect.change += log_time(high) - log_time(low);
        ++effect.pairs;
      }
      if (effect.pairs == 0) continue;
      effect.change /= effect.pairs;
      effect.searched =
          !space().is_ordered(attribute) || std::expm1(std::abs(effect.change)) >= settings().factorial_threshold;
      effect.better = effect.change < 0 ? space().highest(attribute) : space().lowest(attribute);
    }
    for (int one = 0; one < count; ++one)
      for (int other = one + 1; other < count; ++other)
        if (std::expm1(std::abs(effect_of_both(one, other, corners, trials))) >= settings().factorial_threshold)
          effects_[static_cast<std::size_t>(one)].searched = effects_[static_cast<std::size_t>(other)].searched = true;
  }

  /// How much the effect of one attribute changes with the other one, halved.
  [[nodiscard]] double effect_of_both(int one, int other, const std::vector<int>& corners, const Trials& trials) const {
    double sum = 0;
    int squares = 0;
    for (const int low : corners) {
      if (space().value(low, one) != space().lowest(one) || space().value(low, other) != space().lowest(other))
        continue;
      const int by_one = opposite(low, one, corners);
      const int by_other = opposite(low, other, corners);
      const int by_both = by_one < 0 ? -1 : opposite(by_one, other, corners);
      if (by_other < 0 || by_both < 0) continue;
      sum += std::log(trials.time(low) * trials.time(by_both) / (trials.time(by_one) * trials.time(by_other))) / 2;
      ++squares;
    }
    return squares == 0 ? 0 : sum / squares;
  }

  /// For each combination of values of the attributes that are searched, the candidate nearest to the fixed values.
  [[nodiscard]] std::vector<int> representatives(const Trials& trials) const {
    std::map<std::vector<int>, std::pair<int, int>> of_combinations;  // how far, and who
    for (const int member : space().members()) {
      if (!trials.eligible(member)) continue;
      std::vector<int> combination;
      int distance = 0;
      for (int attribute = 0; attribute < space().attributes(); ++attribute) {
        const Effect& effect = effects_[static_cast<std::size_t>(attribute)];
        const int value = space().value(member, attribute);
        if (effect.searched) {
          combination.push_back(value);
        } else if (value != effect.better) {
          ++distance;
        }
      }
      const std::pair nearest{distance, member};
      const auto [known, is_new] = of_combinations.try_emplace(std::move(combination), nearest);
      if (!is_new) known->second = std::min(known->second, nearest);
    }
    std::vector<int> found;
    for (const auto& [combination, nearest] : of_combinations) found.push_back(nearest.second);
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] std::string in_words() const {
    std::string text;
    for (int attribute = 0; attribute < space().attributes(); ++attribute) {
      const Effect& effect = effects_[static_cast<std::size_t>(attribute)];
      const std::string change =
          effect.pairs == 0 ? "not known" : percent_in_words(std::expm1(std::abs(effect.change)));
      text += (text.empty() ? "effects: " : ", ") + space().name(attribute) + " " + change +
              (effect.searched ? "" : " (fixed: " + space().in_words(attribute, effect.better) + ")");
    }
    return text;
  }

  std::vector<Effect> effects_;  ///< of each attribute
};

}  // namespace

StrategyKind factorial() {
  return {
      .name = "factorial",
      .says = "measures the extreme values of all attributes (2^k), then searches those attributes that matter",
      .source = "Jain 1991, chapter 17; named for ADCL by Gabriel, Feki, Benkert and Resch 2008, section 4",
      .learns = true,
      .searches = true,
      .by_attributes = true,
      .keeps_trying = true,
      .stages = {Search::stages.begin(), Search::stages.end()},
      .may_be_told = Search::may_be_told,
      .make = search_by<Factorial>,
  };
}

}  // namespace starling::strategies
