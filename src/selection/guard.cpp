#include "selection/guard.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "selection/figures.hpp"

namespace starling {
namespace {

/// How much rarer controls and looks become.
constexpr std::int64_t rarer = 4;

Brief with_waiting(Brief brief) {
  brief.synchronises = false;
  return brief;
}

}  // namespace

std::int64_t Guard::first_calls_with(std::optional<double> gain) {
  if (!gain) return first_calls;
  constexpr double worth = 0.1;
  const double calls = control_calls * (*gain - 1) / worth;
  return calls < first_calls ? std::max(fewest_calls, static_cast<std::int64_t>(calls)) : first_calls;
}

Guard::Guard(const Brief& brief, int way, std::optional<double> gain)
    : trials_(brief),
      spells_(with_waiting(brief)),
      way_(way),
      first_calls_(first_calls_with(gain)),
      calls_(first_calls_) {}

void Guard::add_spell(int of, std::span<const Stretch> spell) {
  if (!contest_) spells_.forget(of);
  std::vector<AgreedCall> calls;
  calls.reserve(spell.size());
  for (const Stretch& one : spell) calls.push_back({one.seconds, one.seconds, one.seconds, one.work});
  spells_.add(of, calls);
}

void Guard::take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native,
                 std::span<const Stretch> spell) {
  for (const int one : {way_, 0})
    if (!trials_.has_room(one)) trials_.forget(one);
  trials_.add(way_, of_way);
  trials_.add(0, of_native);
  add_spell(way_, spell);
  if (contest_) return judge();
  if (trials_.clearly_slower(way_, 0)) {
    // Another program may have disturbed it: it is looked at again soon.
    calls_ = first_calls_;
    if (++slower_ == to_be_believed) begin_contest(true);
    return;
  }
  slower_ = 0;
  // Where native is slower, controls cost time; where it is as fast, more of them tell more.
  constexpr std::int64_t a_little_rarer = 2;
  calls_ = std::min(rarest, calls_ * (trials_.clearly_slower(0, way_) ? rarer : a_little_rarer));
}

void Guard::look(std::span<const Stretch> spell) {
  add_spell(0, spell);
  if (contest_) return judge();
  if (spells_.clearly_slower(0, way_)) return begin_contest(false);
  rest_ = std::min(rarest, rest_ * rarer);
}

/// Native goes first, against the latest spell of the way; or the way does, against the latest of native.
void Guard::begin_contest(bool with_native) {
  contest_ = true;
  native_is_next_ = with_native;
  spells_of_native_ = 0;
  spells_.forget(with_native ? 0 : way_);
}

void Guard::judge() {
  if (native_is_next_) ++spells_of_native_;
  const bool way_is_slower = spells_.clearly_slower(way_, 0);
  const bool native_is_slower = spells_.clearly_slower(0, way_);
  native_is_next_ = !native_is_next_;
  if (!way_is_slower && !native_is_slower && spells_of_native_ < most_spells) return;
  contest_ = false;
  slower_ = 0;
  follows_ = native_is_slower || (!way_is_slower && spells_.time(way_) < spells_.time(0));
  // Controls will say again that native is faster: they are rare from now on, so that another contest costs little.
  calls_ = rarest;
  rest_ = follows_ ? spell_calls : std::min(rarest, rest_ * rarer);
}

std::string Guard::why(const Interned& way) const {
  if (!serves()) return "native: " + way.text() + " cannot serve here";
  return (follows_ ? way.text() + " again" : std::string("native")) + ": " + way.text() + " takes " +
         time_in_words(spells_.time(way_)) + " in the mean of ranks, with waiting, native " +
         time_in_words(spells_.time(0));
}

}  // namespace starling
