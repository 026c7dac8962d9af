// table: what a tuning table has for the context. Which entry that is, and the candidates of entries further off, which
// count where the nearest cannot serve, come with the brief.
//
//   every rank   calls natively, until the way would have saved as much as it costs to begin with it
//   every rank   calls by the table's way, then a few natively | the times of these, and of the last of the way,
//                                                                reduced to rank 0
//   rank 0       is the way slower than native here? (`Guard`)
//   every rank   gets that: the way again, and how often; or native
//   every rank   calls natively, and tells its latest times   | as above
//   rank 0       is native slower by now than the way was? then the way gets one more spell, as in a contest

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "selection/call_times.hpp"
#include "selection/guard.hpp"
#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

/// Calls that go natively before the way: those in which the way would have saved what it costs to begin with it. So a
/// context of a few calls does not pay for what it never earns, and one of many loses no more than twice that cost.
///
/// To begin, ranks agree a few times, each as costly as a small collective; to make communicators they agree more
/// often.
std::int64_t calls_before(const Advice& advice) {
  constexpr double small_collective = 1e-3;  // seconds, at most: or as many as a native call takes
  constexpr double agreements = 3;
  constexpr double for_communicators = 12;
  constexpr double most = 64;
  if (!advice.seconds || !advice.gain || !(*advice.gain > 1) || !(*advice.seconds > 0)) return 0;
  const double native = *advice.seconds * *advice.gain;
  const double price =
      (agreements + (advice.communicators > 0 ? for_communicators : 0)) * std::min(native, small_collective);
  return static_cast<std::int64_t>(std::min(std::ceil(price / (native - *advice.seconds)), most));
}

class Table final : public Strategy {
 public:
  explicit Table(const Brief& brief)
      : varying_work_(brief.varying_work), by_pace_(!brief.synchronises && !brief.varying_work), exchanged_(brief) {
    std::string refused;
    for (const Advice& advice : brief.advice) {
      const auto& all = brief.candidates;
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const Candidate& one) { return one.name == advice.candidate; });
      if (found != all.end() && found->eligible()) {
        follows_ = true;
        follow(brief, static_cast<int>(found - all.begin()), advice);
        decide({0, -1, proposed(), advice.why + refused + (step_ == Step::before ? waiting() : std::string())});
        return;
      }
      refused += "; " + advice.candidate.text() + " of a nearer entry cannot serve here" +
                 (found == all.end() ? std::string() : ": " + found->refusal.text());
    }
    const char* const why = brief.advice.empty() ? "native: the table has nothing for this context"
                                                 : "native: nothing that the table has can serve here";
    decide({0, -1, 0, why + refused});
  }

  std::span<const double> observe(double seconds, double work) override {
    begin_counts();
    if (step_ == Step::before) {
      if (--left_ == 0) end_waiting();
      return {};
    }
    if (--left_ >= observed_) return {};
    if (step_ != Step::control) {
      spell_.seconds += seconds;
      spell_.work += work;
    }
    if (left_ >= times) return {};
    const std::size_t place = (step_ == Step::control ? kept : 0) + static_cast<std::size_t>(left_);
    seconds_[place] = seconds;
    if (varying_work_) works_[place] = work;
    if (left_ != 0) return {};
    return end_step();
  }
  [[nodiscard]] std::int64_t calls_without_time() const override {
    return left_ - (step_ == Step::before ? 1 : observed_);
  }
  void pass() override { --left_; }
  [[nodiscard]] int proposed_after(std::int64_t ahead) const override {
    const std::int64_t after = ahead - left_;
    if (after < 0) return proposed();
    switch (step_) {
      case Step::before: return after < first_calls_ || after >= first_calls_ + Guard::control_calls ? way_ : 0;
      case Step::way: return after >= Guard::control_calls ? way_ : 0;
      case Step::control:
      case Step::spell: return way_;
      case Step::native: break;
    }
    return 0;
  }
  [[nodiscard]] std::int64_t calls_until_agreement() const override {
    if (way_ == 0) return unlimited;
    switch (step_) {
      case Step::before: return left_ + first_calls_ + Guard::control_calls;
      case Step::way: return left_ + Guard::control_calls;
      case Step::control:
      case Step::spell:
      case Step::native: break;
    }
    return left_;
  }
  void stretch_took(double seconds) override { stretch_ = seconds; }
  [[nodiscard]] Judge judge() const override { return Judge::first_rank; }
  [[nodiscard]] Reduction reduction() const override { return Reduction::maximum; }
  [[nodiscard]] std::size_t means() const override { return numbers_of_spell + (is_spell() ? 0 : exchanged_.means()); }

  std::span<const double> ruling(std::span<const double> reduced) override {
    const std::size_t of_calls = reduced.size() - numbers_of_spell;
    const Guard::Spell spell{reduced[of_calls], reduced[of_calls + 1],
                             by_pace_ ? stretch_ / static_cast<double>(calls_of_stretch_) : 0};
    if (is_spell()) {
      guard_->take(spell);
    } else {
      const std::vector<AgreedCall> calls = exchanged_.calls(reduced.first(of_calls));
      guard_->take(std::span(calls).first(kept), std::span(calls).subspan(kept), spell);
    }
    if (const bool follows = guard_->follows(); follows != follows_) {
      decide({calls_, follows ? 0 : way_, follows ? way_ : 0, guard_->why(name_)});
    }
    numbers_.assign(reduced.size(), 0);
    if (guard_->serves()) {
      numbers_[0] = static_cast<double>(guard_->calls_native() ? -guard_->calls() : guard_->calls());
      numbers_[1] = (guard_->follows() ? 1 : 0) + (guard_->makes_control() ? 2 : 0);
    }
    return numbers_;
  }
  /// The first number: calls of the way; negative, of native until the next look; 0, native for the rest of the run.
  /// The second: 1 if the way is chosen, and 2 more if its calls end in a control.
  void verdict(std::span<const double> agreed) override {
    const auto calls = static_cast<std::int64_t>(agreed[0]);
    const auto flags = static_cast<unsigned>(agreed[1]);
    follows_ = (flags & 1U) != 0;
    begin(calls <= 0          ? Step::native
          : (flags & 2U) != 0 ? Step::way
                              : Step::spell,
          calls == 0 ? unlimited : std::abs(calls));
  }

  [[nodiscard]] std::optional<int> chosen() const override { return follows_ && step_ != Step::before ? way_ : 0; }
  [[nodiscard]] std::string_view stage() const override { return follows_ ? "table" : "native"; }
  [[nodiscard]] bool exploring() const override { return false; }
  /// While the way is chosen or in a contest, what it needs stays for its next call.
  [[nodiscard]] bool settled() const override { return is_of_way(step_) || (!follows_ && step_ == Step::native); }

 private:
  enum class Step : std::uint8_t {
    before,   ///< native calls that pay for the beginning of the way
    way,      ///< calls of the way
    control,  ///< a few native calls after them
    spell,    ///< calls of the way in a contest
    native,   ///< native calls in a contest, or after the way has lost
  };
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  /// So many of the last calls of the way have times that are exchanged; and of a control, all.
  static constexpr std::size_t kept = PlannedCalls::most_times;
  static constexpr auto times = static_cast<std::int64_t>(kept);
  /// The last ones that are exchanged: `Guard::Spell`.
  static constexpr std::size_t numbers_of_spell = 2;
  static_assert(Guard::control_calls <= times && Guard::fewest_calls >= times);

  void follow(const Brief& brief, int way, const Advice& advice) {
    way_ = way;
    if (way == 0) return begin(Step::way, unlimited);
    name_ = brief.candidates[static_cast<std::size_t>(way)].name;
    if (varying_work_) works_.resize(kept + Guard::control_calls);
    if (brief.is_first_rank) guard_ = std::make_unique<Guard>(brief, way, advice.gain);
    first_calls_ = Guard::first_calls_with(advice.gain);
    const std::int64_t before = calls_before(advice);
    if (before > 0)
      begin(Step::before, before);
    else
      begin(Step::way, first_calls_);
  }

  [[nodiscard]] static bool is_of_way(Step step) { return step == Step::way || step == Step::spell; }
  /// Whether the step ends in no control.
  [[nodiscard]] bool is_spell() const { return step_ == Step::spell || step_ == Step::native; }

  [[nodiscard]] std::string waiting() const {
    return "; natively for " + std::to_string(left_) + (left_ == 1 ? " call" : " calls") +
           " before, so that its beginning pays";
  }

  [[gnu::noinline]] void end_waiting() {
    decide({calls_, 0, way_,
            std::string(name_.text()) + ": as the table has it, after the calls that pay for its beginning"});
    begin(Step::way, first_calls_);
  }

  void begin(Step step, std::int64_t calls) {
    step_ = step;
    left_ = calls;
    observed_ = calls;
    calls_of_stretch_ = calls + (step == Step::control ? calls_of_stretch_ : 0);
    if (step != Step::control) {
      observed_ = std::clamp(calls / 2, std::min(calls, Guard::fewest_of_spell), Guard::most_of_spell);
      spell_ = {};
    }
    calls_ += calls == unlimited ? 0 : calls;
    propose(is_of_way(step) ? way_ : 0);
  }

  [[gnu::noinline]] std::span<const double> end_step() {
    if (step_ != Step::control) {
      spell_.seconds /= static_cast<double>(observed_);
      spell_.work /= static_cast<double>(observed_);
    }
    if (step_ == Step::way) {
      begin(Step::control, Guard::control_calls);
      return {};
    }
    numbers_.clear();
    const double since_meeting = longest_since_meeting();
    if (step_ == Step::control) exchanged_.contribute(numbers_, seconds_, works_, since_meeting, 1);
    numbers_.insert(numbers_.end(), {spell_.seconds, spell_.work});
    return numbers_;
  }

  bool varying_work_;
  bool by_pace_;  ///< how the program goes on is what counts (`Guard`)
  CallTimes exchanged_;
  bool follows_ = false;
  Step step_ = Step::way;
  int way_ = 0;
  Interned name_;                         ///< of the way
  std::int64_t first_calls_ = unlimited;  ///< of the way, before the first control
  std::int64_t left_ = unlimited;         ///< calls of the step
  std::int64_t calls_ = 0;                ///< until its end
  std::int64_t observed_ = 0;             ///< the latest calls of the step, whose times count
  std::int64_t calls_of_stretch_ = 0;     ///< since the latest agreement, at the next one
  double stretch_ = 0;                    ///< seconds of them, with all between; 0 where not known
  Guard::Spell spell_{};                  ///< of the way or of native; until its end, sums
  std::array<double, kept + Guard::control_calls>
      seconds_{};                 ///< of the way's last calls, the latest first; of a control
  std::vector<double> works_;     ///< of the same calls, where it varies
  std::vector<double> numbers_;   ///< for the ranks to agree on
  std::unique_ptr<Guard> guard_;  ///< on rank 0 only
};

}  // namespace

StrategyKind table() {
  return {
      .name = "table",
      .says = "uses what a tuning table has for each context, and native where it has nothing or is slower",
      .source = "Hartmann, Kühnemann, Rauber and Rünger, section 3",
      .takes_advice = true,
      .stages = {{"table"}, {"native"}},
      .make = [](const Brief& brief) -> std::unique_ptr<Strategy> { return std::make_unique<Table>(brief); },
  };
}

}  // namespace starling::strategies
