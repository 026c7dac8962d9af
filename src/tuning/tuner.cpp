#include "tuning/tuner.hpp"

#include <algorithm>
#include <utility>

#include "knowledge/fold.hpp"
#include "messages/shared.hpp"

namespace starling {

Tuner::Tuner(const Brief& brief, std::unique_ptr<Strategy> (*make)(const Brief&))
    : refusals_(brief.candidates.summary().refusals), strategy_(make(brief)) {
  if (brief.synchronises && brief.candidates.summary().any_other) arrivals_ = std::make_unique<Arrivals>();
}

void Tuner::open(Consensus& ranks) {
  const std::span<double> numbers = strategy_->opening();
  if (numbers.empty()) return;
  ranks.broadcast(numbers);
  strategy_->verdict(numbers);
}

void Tuner::leave_to_native(const std::string& why) {
  std::vector<int> others;
  for (int i = 1; i < candidates(); ++i)
    if (eligible(i)) others.push_back(i);
  refuse_all(others, why);
  contribution_ = {};
  strategy_ = strategy_named("native")->first->make({});
}

/// The reason outlives the candidate's refusal, which does not count where it serves on other communicators.
void Tuner::refuse(int candidate, const std::string& why) {
  if (!eligible(candidate)) return;  // a strategy that forces it proposes it again
  if (candidate == proposed() && !strategy_->exploring())
    lacking().refused.push_back({calls_, candidate, 0, "it cannot serve here: " + why});
  note(candidate, "not on every communicator: " + why);
  refuse_all({&candidate, 1}, why);
}

void Tuner::refuse_all(std::span<const int> candidates, const std::string& why) {
  std::vector<Interned> refusals = *refusals_;
  for (const int candidate : candidates) refusals[at(candidate)] = why;
  refusals_ = shared(std::move(refusals));
}

/// While calls are in flight, the candidate of the next one depends on how many have begun, not on how many have ended
/// here. The strategy does not learn from calls that begin while an agreement is due.
Tuner::Turn Tuner::begin_while_in_flight() {
  const std::int64_t ahead = counted_ - fed_;
  const bool learns = contribution_.empty() && ahead < strategy_->calls_until_agreement();
  return {-1, strategy_->proposed_after(ahead), strategy_->exploring(), learns};
}

void Tuner::end(const Turn& turn, double seconds, double work, bool served) {
  const std::size_t used = served ? at(turn.candidate) : 0;
  Samples* const known = samples_.find(used);
  (known != nullptr ? *known : begin_samples(used)).add(seconds);
  ++calls_;
  const bool tells = turn.number < 0 && !turn.exploring;
  seconds_ += seconds + (passed_ * (tells ? seconds : static_cast<double>(usual_)));
  passed_ = 0;
  if (turn.exploring) {
    ++trying().exploring.calls;
    trying().exploring.seconds += seconds;
  }
  if (!served) seconds = refused_seconds;
  if (!turn.learns) return;
  const std::int64_t number = turn.number < 0 ? counted_++ : turn.number;
  if (number == fed_ && contribution_.empty()) {
    feed(seconds, work);
    if (trying_) feed_early();
    let_pass(turn, seconds);
  } else if (number >= fed_) {
    trying().early.push_back({number, seconds, work});
  }
}

/// After a call that was timed: how many of the next need not be. Whether calls are short is told by the mean, in which
/// those count that wait for late ranks. Distances are drawn, so that a program in which each eighth call waits is seen
/// as it is.
void Tuner::let_pass(const Turn& turn, double seconds) {
  constexpr float weight = 1.0F / 16;
  usual_ = usual_ > 0 ? usual_ + (weight * (static_cast<float>(seconds) - usual_)) : static_cast<float>(seconds);
  passes_ = 0;
  if (turn.number >= 0 || usual_ >= short_seconds || !contribution_.empty()) return;
  if (turn.exploring || strategy_->exploring() || strategy_->proposed() != turn.candidate) return;
  // A linear congruence; its high digits vary.
  constexpr unsigned factor = 25173;
  constexpr unsigned increment = 13849;
  constexpr unsigned high = 11;
  dice_ = static_cast<std::uint16_t>((dice_ * factor) + increment);
  const std::int64_t drawn = fewest_untimed + ((dice_ >> high) % (most_untimed - fewest_untimed + 1));
  passes_ = static_cast<std::uint8_t>(std::clamp<std::int64_t>(strategy_->calls_without_time(), 0, drawn));
}

void Tuner::pass(const Turn& turn, double work, bool served) {
  // Where an error handler has made calls in between, these took the place of those that need no time.
  if (!served || !may_pass()) return end(turn, static_cast<double>(usual_), work, served);
  --passes_;
  ++passed_;
  ++calls_;
  samples_.find(at(turn.candidate))->add_untimed();
  ++counted_;
  ++fed_;
  if (arrivals_) arrivals_->pass();
  strategy_->pass();
}

[[gnu::noinline]] Samples& Tuner::begin_samples(std::size_t candidate) {
  return samples_.add(candidate);
}

/// Feeds calls that ended before an earlier one, once that one has ended.
void Tuner::feed_early() {
  std::vector<Early>& early = trying_->early;
  while (!early.empty() && contribution_.empty()) {
    const auto next = std::find_if(early.begin(), early.end(), [&](const Early& one) { return one.number == fed_; });
    if (next == early.end()) break;
    const Early one = *next;
    early.erase(next);
    feed(one.seconds, one.work);
  }
}

bool Tuner::agree(Consensus& ranks, SampleReduction reduction) {
  while (contribution_.empty()) {
    if (trying_) feed_early();
    if (contribution_.empty()) feed(median(strategy_->proposed()).value_or(0), 0);
  }
  Trying& trying = this->trying();
  const Spent now{all_seconds(), trying.exploring.seconds};
  std::vector<double> agreed(contribution_.begin(), contribution_.end());
  Fixed fixed{.means = strategy_->means(), .maxima = 3};
  if (arrivals_) {
    arrivals_->contribute(agreed, ranks.rank_in_world());
    fixed.means += Arrivals::numbers.means;
    fixed.maxima += Arrivals::numbers.maxima;
  }
  agreed.push_back(std::exchange(stretch_, 0));
  agreed.push_back(now.all - trying.reported.all);
  agreed.push_back(now.exploring - trying.reported.exploring);
  trying.reported = now;
  const std::span<double> numbers = std::span(agreed).first(contribution_.size());
  contribution_ = {};
  ranks.reduce_to_first(agreed, fixed, strategy_->reduction() == Reduction::maximum ? SampleReduction::max : reduction);
  if (strategy_->judge() == Judge::first_rank && ranks.is_first()) {
    strategy_->stretch_took(agreed[agreed.size() - 3]);
    const std::span<const double> ruling = strategy_->ruling(numbers);
    std::copy(ruling.begin(), ruling.end(), numbers.begin());
  }
  ranks.broadcast(agreed);
  if (!trying.slowest) trying.slowest = Spent{};
  const std::span own = std::span(agreed).subspan(numbers.size());
  if (arrivals_) arrivals_->take(own);
  trying.slowest->all += own[own.size() - 2];
  trying.slowest->exploring += own.back();
  strategy_->verdict(numbers);
  if (!strategy_->settled()) return false;
  trying.bookkeeping.condense();
  for (int i = 0; i < candidates(); ++i)
    if (tried(i) && i != proposed()) samples_.find(at(i))->condense();
  return true;
}

void Tuner::add_bookkeeping(const Turn& turn, double seconds, bool agreed, double once) {
  if (agreed) strategy_->agreement_took(seconds - once);
  Trying& trying = this->trying();
  if (!turn.exploring) {
    ++trying.agreed_calls;
    trying.agreed_seconds += seconds;
    return;
  }
  trying.exploring.bookkeeping_seconds += seconds;
  if (!agreed) trying.bookkeeping.add(seconds);
}

void Tuner::note(int candidate, const std::string& what) {
  lacking().notes[at(candidate)] = what;
}

Tuner::Lacking& Tuner::lacking() {
  std::unique_ptr<Lacking>& found = trying().lacking;
  if (!found) found = std::make_unique<Lacking>(Lacking{std::vector<Interned>(refusals_->size()), {}});
  return *found;
}

void Tuner::add_setup(const Turn& turn, double seconds) {
  Trying& trying = this->trying();
  trying.setup.resize(refusals_->size());
  trying.setup[at(turn.candidate)] += seconds;
  add_preparation(turn, seconds);
}

int Tuner::fill_in(ContextRecord& record, std::span<const int> which) const {
  record.calls = calls_;
  record.stage = std::string(strategy_->stage());
  const std::optional<int> chosen = strategy_->chosen();
  int winner = chosen.value_or(proposed());
  std::optional<double> best = median(winner);
  // While candidates are tried, the winner is the best so far.
  if (!chosen && strategy_->exploring()) {
    for (int i = 0; i < candidates(); ++i) {
      const std::optional<double> one = eligible(i) ? median(i) : std::nullopt;
      if (!one || (best && *one >= *best)) continue;
      best = one;
      winner = i;
    }
  }
  record.seconds = all_seconds();
  record.native_s = winner == 0 ? best : median(0);
  const Trying nothing;
  const Trying& trying = trying_ ? *trying_ : nothing;
  for (std::size_t place = 0; place < which.size(); ++place) {
    const int i = which[place];
    CandidateRecord& one = record.candidates[place];
    if (trying.lacking) one.note = trying.lacking->notes[at(i)].text();
    if (!trying.setup.empty() && trying.setup[at(i)] > 0) one.setup_s = trying.setup[at(i)];
    one.eligible = eligible(i) && !tried_instead_of(i);
    if (const auto found = one.eligible ? strategy_->found(i) : std::nullopt) {
      one.agreed_s = found->seconds;
      one.deviation_s = found->deviation;
    }
    if (!tried(i)) continue;
    const Samples& samples = *samples_.find(at(i));
    one.samples = samples.count();
    one.median_s = i == winner ? best : i == 0 ? record.native_s : samples.median();
    one.min_s = samples.min();
  }
  record.tuning_seconds =
      std::max(0.0, trying.exploring.seconds - (static_cast<double>(trying.exploring.calls) * best.value_or(0)));
  if (trying.slowest) {
    record.slowest_seconds = trying.slowest->all + (all_seconds() - trying.reported.all);
    const double usual = strategy_->found(winner).value_or(Found{best.value_or(0)}).seconds;
    const double exploring = trying.slowest->exploring + (trying.exploring.seconds - trying.reported.exploring);
    record.slowest_tuning_seconds = std::max(0.0, exploring - (static_cast<double>(trying.exploring.calls) * usual));
  }
  if (arrivals_) record.arrivals = arrivals_->record();
  record.exploring = trying.exploring;
  record.settled.calls = calls_ - trying.exploring.calls;
  record.settled.seconds = std::max(0.0, all_seconds() - trying.exploring.seconds);
  // The bookkeeping of a steady-state call is not timed: it counts like that of an exploring call without an agreement.
  record.settled.bookkeeping_seconds =
      trying.agreed_seconds +
      (static_cast<double>(record.settled.calls - trying.agreed_calls) * trying.bookkeeping.median().value_or(0));
  record.decisions_dropped = strategy_->decisions_dropped();
  record.decisions.assign(strategy_->decisions().begin(), strategy_->decisions().end());
  if (trying.lacking) add_decisions(record, trying.lacking->refused);
  return winner;
}

}  // namespace starling
