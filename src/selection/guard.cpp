#include "selection/guard.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "selection/figures.hpp"

namespace starling {
namespace {

/// How much rarer controls and looks become.
constexpr std::int64_t rarer = 4;
/// Native after it has won is slower than the way by this at least: single spells do not tell less.
constexpr double clearly = 1.05;

}  // namespace

std::int64_t Guard::first_calls_with(std::optional<double> gain) {
  if (!gain) return first_calls;
  constexpr double worth = 0.1;
  const double calls = control_calls * (*gain - 1) / worth;
  return calls < first_calls ? std::max(fewest_calls, static_cast<std::int64_t>(calls)) : first_calls;
}

Guard::Guard(const Brief& brief, int way, std::optional<double> gain)
    : trials_(brief),
      way_(way),
      is_proven_(brief.synchronises || brief.varying_work),
      by_pace_(!is_proven_),
      number_(brief.number),
      first_calls_(first_calls_with(gain)),
      calls_(first_calls_) {}

/// With all waiting, as if ranks had begun together; for the work that calls of the controls had. That of a call is its
/// busiest rank's, of a spell the mean of ranks: for those with most work change from call to call.
double Guard::seconds(int of, const Spell& spell) const {
  if (spell.pace > 0) return spell.pace;
  const double work = work_of_spells_ > 0 ? spell.work * (work_of_busiest_ / work_of_spells_) : spell.work;
  const AgreedCall call{spell.seconds, spell.seconds, spell.seconds, work, true};
  return trials_.time_of(of, {&call, 1});
}

void Guard::take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native, const Spell& spell) {
  for (const int one : {way_, 0})
    if (!trials_.has_room(one)) trials_.forget(one);
  trials_.add(way_, of_way);
  trials_.add(0, of_native);
  for (const AgreedCall& call : of_way) work_of_busiest_ += call.work / static_cast<double>(of_way.size());
  work_of_spells_ += spell.work;
  if (std::exchange(is_due_, false)) return begin_contest(spell);
  if (trials_.clearly_slower(way_, 0)) {
    // Another program may have disturbed it: it is looked at again soon.
    calls_ = first_calls_;
    if (++slower_ == to_be_believed) ask_for_contest(spell);
    return;
  }
  slower_ = 0;
  if (!is_proven_) return ask_for_contest(spell);
  // Where native is slower, controls cost time; where it is as fast, more of them tell more.
  constexpr std::int64_t a_little_rarer = 2;
  calls_ = std::min(rarest, calls_ * (trials_.clearly_slower(0, way_) ? rarer : a_little_rarer));
}

void Guard::take(const Spell& spell) {
  if (!calls_native() && !(spell.seconds < refused_seconds / most_of_spell)) {
    const AgreedCall refused{refused_seconds, refused_seconds, refused_seconds, spell.work, true};
    return trials_.add(way_, {&refused, 1});
  }
  if (contest_.is_running()) return compete(contest_.next(), spell);
  if (!slower_native_) return look(spell);
  const double of_way = seconds(way_, spell);
  settle({clearly * of_way < *slower_native_, of_way, *slower_native_});
  slower_native_.reset();
}

void Guard::look(const Spell& spell) {
  const double of_native = seconds(0, spell);
  if (!(of_native > clearly * found_.with_candidate)) {
    slower_ = 0;
    return rest_longer();
  }
  // Another program may have disturbed it: it is looked at again soon.
  rest_ = first_rest;
  if (++slower_ == to_be_believed) slower_native_ = of_native;
}

/// After a control. What one loop calls has its controls together, and in a contest from call to call each finds what
/// another one does as well. So most are over before the next one begins, and where one is not, their spells are not
/// the same.
void Guard::ask_for_contest(const Spell& of_way) {
  constexpr int in_turn = 4;
  constexpr std::int64_t spells_apart = Proof::fewest + 1;
  const std::int64_t before = number_ % in_turn * spells_apart * spell_calls;
  if (before == 0) return begin_contest(of_way);
  is_due_ = true;
  calls_ = before;
}

/// With the way's spell before it, but not from call to call, for a control and many calls before it are in that.
void Guard::begin_contest(const Spell& of_way) {
  contest_.begin(way_);
  if (!by_pace_) compete(way_, of_way);
}

void Guard::compete(int of, const Spell& spell) {
  contest_.add(seconds(of, spell));
  const double of_way = trials_.time(way_);
  const double of_native = trials_.time(0);
  if (of != 0) pace_of_way_ = spell.pace;
  if (of == 0 && spell.pace > 0 && pace_of_way_ > 0) {
    const double lost = of_native - of_way - (spell.pace - pace_of_way_);
    if (Proof::is_clear(of_way, of_native, lost)) return settle({true, pace_of_way_, spell.pace});
  }
  // Where spells do not tell, the mean does, if nothing else speaks for either.
  constexpr double any = std::numeric_limits<double>::infinity();
  const double expected = spell.pace > 0 && of_way < of_native ? (of_native - of_way) / spell.pace : any;
  if (const std::optional<Proof::Result> found = contest_.result(expected)) settle(*found);
}

void Guard::settle(const Proof::Result& found) {
  found_ = found;
  contest_ = {};
  is_proven_ = true;
  slower_ = 0;
  follows_ = found_.is_faster;
  // Controls will say again that native is faster: they are rare from now on, so that another contest costs little.
  calls_ = rarest;
  if (follows_)
    rest_ = 0;
  else
    rest_longer();
}

void Guard::rest_longer() {
  rest_ = rest_ == 0 ? first_rest : std::min(rarest, rest_ * rarer);
}

std::string Guard::why(const Interned& way) const {
  if (!serves()) return "native: " + way.text() + " cannot serve here";
  return (follows_ ? way.text() + " again" : std::string("native")) + ": " + way.text() + " takes " +
         time_in_words(found_.with_candidate) +
         (by_pace_ ? " from call to call, native " : " in the mean of ranks, with waiting, native ") +
         time_in_words(found_.with_native);
}

}  // namespace starling
