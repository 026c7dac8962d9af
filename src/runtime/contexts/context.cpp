#include "runtime/contexts/context.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "knowledge/fold.hpp"
#include "runtime/contexts/candidates.hpp"
#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "tuning/experience.hpp"
#include "ways/alike.hpp"

namespace starling {
namespace {

/// Native, and the ways of `advice` up to the first that can serve. Gives the advice the full names of its ways, and
/// what these need.
std::vector<Way> advised_ways(const Facts& facts, const Settings& settings, const StrategyKind& strategy,
                              std::vector<Advice>& advice) {
  const Collective collective = facts.situation.collective;
  std::vector<Way> found{starling::ways(collective, facts.situation.ranks)->front()};
  for (Advice& one : advice) {
    const auto way = way_named(collective, one.candidate);
    if (!way) continue;
    one.candidate = way->name();  // with the default values of parameters that are not given
    one.communicators = way->communicators();
    const bool is_new =
        std::none_of(found.begin(), found.end(), [&](const Way& other) { return other.name() == way->name(); });
    if (is_new) found.push_back(*way);
    if (way->name() == found.front().name() || refusal_here(*way, facts, settings, strategy).empty()) break;
  }
  return found;
}

std::string the_same_as(const Interned& name, int ranks) {
  return "does the same as " + name.text() + " on " + std::to_string(ranks) + " ranks";
}

/// Leaves out all but one of those that do the same.
void try_each_once(std::vector<Candidate>& all, Collective collective, int ranks) {
  const auto at = [&](int i) -> const Candidate& { return all[static_cast<std::size_t>(i)]; };
  const std::vector<std::optional<int>> instead =
      tried_instead(alike(collective, ranks, [&](int i) { return at(i).eligible(); }),
                    [&](int i) { return at(i).earlier ? std::optional(at(i).earlier->seconds) : std::nullopt; });
  for (std::size_t i = 0; i < instead.size(); ++i)
    if (instead[i]) all[i].refusal = the_same_as(at(*instead[i]).name, ranks);
}

/// Tells of the candidates, which are those ways, what `known` has.
void tell_of_earlier_runs(Brief& brief, const ContextRecord& known, std::span<const Way> ways,
                          Communicator& communicator) {
  brief.calls_before = known.calls;
  brief.candidates.tell_of_earlier_runs(EarlierRuns::of(known, *brief.candidates.summary().names),
                                        [&](std::size_t way) { return communicator.setup_seconds(ways[way]); });
}

/// Whether earlier runs made some calls, but came to no trial.
bool knows_only_native(std::span<const Candidate> candidates) {
  return candidates.front().earlier && std::none_of(candidates.begin() + 1, candidates.end(),
                                                    [](const Candidate& one) { return one.earlier.has_value(); });
}

/// Of the ways of a context on a communicator, which outlives it.
class ContextPredictions final : public Predictions {
 public:
  ContextPredictions(const Situation& situation, std::span<const Way> ways, Communicator& communicator)
      : situation_(situation), ways_(ways), communicator_(communicator) {}

  [[nodiscard]] std::size_t candidates() const override { return ways_.size(); }
  [[nodiscard]] Interned name(int candidate) const override {
    return ways_[static_cast<std::size_t>(candidate)].name();
  }
  [[nodiscard]] Interned group(int candidate) const override {
    return ways_[static_cast<std::size_t>(candidate)].group();
  }
  [[nodiscard]] std::optional<double> seconds(int candidate) override {
    return communicator_.predicted(ways_[static_cast<std::size_t>(candidate)], situation_);
  }
  [[nodiscard]] double seconds_to_begin(int candidate) override {
    return communicator_.predicted_to_begin(ways_[static_cast<std::size_t>(candidate)], situation_);
  }
  [[nodiscard]] double setup_seconds(int candidate) override {
    return communicator_.setup_seconds(ways_[static_cast<std::size_t>(candidate)]);
  }
  [[nodiscard]] std::vector<std::optional<int>> alike(const std::function<bool(int)>& wanted) override {
    return starling::alike(situation_.collective, situation_.ranks, wanted);
  }
  [[nodiscard]] double seconds_to_predict() const override {
    constexpr double microsecond = 1e-6;
    return setup().network ? Predictor::usual(communicator_.size()) * microsecond : 0;
  }
  /// Of calls whose size is not known nothing can be predicted.
  [[nodiscard]] std::optional<double> seconds_to_measure() const override {
    return situation_.bytes < 0 ? std::nullopt : communicator_.seconds_to_measure();
  }

 private:
  Situation situation_;
  std::span<const Way> ways_;
  Communicator& communicator_;
};

/// Whether MPI found the error in the arguments, before the call began. Then the call was not made, and the other ranks
/// still wait for it.
bool is_refusal(int error) {
  int kind = MPI_ERR_UNKNOWN;
  pmpi.Error_class(error, &kind);
  switch (kind) {
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_OP:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_TYPE: return true;
    default: return false;
  }
}

}  // namespace

Context::Context(const Facts& facts, Communicator& communicator, const std::optional<Way>& chosen)
    : key_(facts.key),
      collective_(facts.situation.collective),
      ranks_(communicator.size()),
      spread_(communicator.spread()),
      all_(starling::ways(collective_, ranks_)) {
  const Setup& now = setup();
  Brief brief;
  brief.key = {.what = name_of(collective_),
               .bytes = facts.key.bytes,
               .bucket = facts.key.bucket,
               .up_to = facts.key.up_to,
               .ranks = ranks_,
               .nodes = spread_.nodes,
               .ranks_per_node = spread_.ranks_per_node,
               .layout = spread_.layout,
               .variant = (facts.key.in_place ? 1 : 0) + (facts.key.built_in      ? 0
                                                          : facts.key.commutative ? 2
                                                                                  : 4)};
  brief.settings = now.settings.tuning;
  brief.varying_work = facts.key.bucket || facts.key.bytes < 0;
  brief.is_first_rank = communicator.rank() == 0;
  brief.synchronises = facts.synchronises;
  brief.root_gives = traits_of(collective_).root == Root::gives;
  brief.shares_processors = communicator.shares_processors();
  if (now.table && !chosen) brief.advice = now.table->advice(brief.key);
  if (!brief.advice.empty() && !brief.synchronises && !brief.varying_work) brief.number = setup().advised++;
  const StrategyKind& strategy =
      chosen ? *strategy_named("forced")->first : *strategy_for(now.strategy, !brief.advice.empty());
  keeps_trying_ = strategy.keeps_trying;
  if (strategy.forces) {
    brief.argument =
        chosen ? chosen->name().text() : forced_for(now.strategy_argument, name_of(collective_), forced_names());
    std::vector<Way> own{way(0)};
    if (const auto named = chosen ? chosen : way_named(collective_, brief.argument)) {
      brief.argument = named->name().text();  // with the default values of the parameters that the user did not give
      if (named->name() != own.front().name()) own.push_back(*named);
    }
    all_ = std::make_shared<const std::vector<Way>>(std::move(own));
  } else if (strategy.takes_advice) {
    all_ = std::make_shared<const std::vector<Way>>(advised_ways(facts, now.settings, strategy, brief.advice));
  } else {
    brief.argument = now.strategy_argument;
  }
  const bool is_left_to_native = facts.key.bucket && strategy.few_sizes;
  const bool chooses = strategy.forces || strategy.takes_advice || (strategy.learns && !is_left_to_native);
  const std::span<const Way> ways = std::span(*all_).first(chooses ? all_->size() : 1);
  ways_ = static_cast<int>(ways.size());
  brief.candidates = candidates_here(ways, facts, now.settings, strategy);
  if (const ContextRecord* const known = now.earlier.find(key_record()); known != nullptr)
    tell_of_earlier_runs(brief, *known, ways, communicator);
  // To compare them takes as long as some calls: who predicts does so when something is to be tried.
  if (strategy.learns && !strategy.predicts && ways.size() > 1)
    try_each_once(brief.candidates.own(), collective_, ranks_);
  const bool may_be_told =
      brief.candidates.summary().any_other && strategy.may_be_told != nullptr && strategy.may_be_told(brief);
  Channel* const channel = may_be_told ? communicator.channel() : nullptr;
  brief.tells_first = channel != nullptr && (channel->fact_of_first() || knows_only_native(brief.candidates));
  if (strategy.predicts && brief.is_first_rank)
    brief.knowledge = std::make_shared<ContextKnowledge>(
        setup().experience, brief.key, std::make_unique<ContextPredictions>(facts.situation, ways, communicator));
  tuner_ = std::make_unique<Tuner>(brief, strategy.make);
  if (channel != nullptr) tuner_->open(*channel);
  if (!now.profile) return;
  profiled_ = std::make_unique<Profiled>();
  if (now.profile->order)
    profiled_->in_order =
        now.profile->order->number_of({static_cast<int>(collective_), ranks_, key_.bytes, key_.bucket});
}

void Context::release(Communicator& communicator) {
  for (const Used& one : carriers_) one.carrier->release(communicator.resources());
  carriers_.clear();
  rested_.reset();
}

void Context::leave_only_what_happened() {
  carriers_ = decltype(carriers_)();
  rested_.reset();
  profiled_.reset();
}

const Interned& Context::refusal_of_chosen() const {
  return tuner_->refusal(tuner_->candidates() - 1);  // after native, where another way was chosen
}

Context::Result Context::run(int way, const Call& call, const Facts& facts, Communicator& communicator) {
  if (way == 0) return {call.native(call), true, true};
  Carrier* carrier = carrier_of(way);
  if (carrier == nullptr) {
    meet(communicator);
    if (!tuner_->eligible(way)) return {call.native(call), true, false};
    carrier = &make_carrier(way);
  }
  // An error handler may call this collective again, so that `carriers_` grows meanwhile: no reference into it is kept.
  const Carrier::Outcome outcome = carrier->carry_out(call, facts, communicator.resources());
  if (outcome.note != nullptr) tuner_->note(way, *outcome.note);
  if (outcome.refused == nullptr) return {outcome.error, outcome.reported, true, outcome.setup_s};
  tuner_->refuse(way, *outcome.refused);
  delete_carrier(way);
  return {call.native(call), true, false, outcome.setup_s};
}

Carrier* Context::carrier_of(int way) const {
  for (const Used& one : carriers_)
    if (one.way == way) return one.carrier.get();
  return nullptr;
}

Carrier& Context::make_carrier(int way) {
  const auto later = std::find_if(carriers_.begin(), carriers_.end(), [&](const Used& one) { return one.way > way; });
  Carrier& made = *carriers_.insert(later, {way, carrier_for(this->way(way))})->carrier;
  if (was_deleted_at_rest(way)) {
    (*rested_)[static_cast<std::size_t>(way)] = false;
    made.resume();
  }
  return made;
}

void Context::delete_carrier(int way) {
  std::erase_if(carriers_, [&](const Used& one) { return one.way == way; });
}

/// As late as can be, for ranks wait for each other: many contexts have a call or two, all of them native.
void Context::meet(Communicator& communicator) {
  if (std::exchange(have_met_, true)) return;
  const std::string why = communicator.channel() == nullptr ? "no tag is free on all its ranks"
                                                            : communicator.refusal_of_buffers(collective_);
  if (!why.empty()) tuner_->leave_to_native(why);
}

/// Before the clock starts: what a way has freed since it was tried last is no part of the call.
[[gnu::noinline]] void Context::wake(const Tuner::Turn& turn, const Call& call, const Facts& facts,
                                     Communicator& communicator) {
  if (!rests(turn.candidate)) return;
  const double start = Clock::now();
  Carrier* const known = carrier_of(turn.candidate);
  Carrier& carrier = known != nullptr ? *known : make_carrier(turn.candidate);
  carrier.wake(call, facts, communicator.resources());
  tuner_->add_preparation(turn, Clock::now() - start);
}

/// Whether a way has freed what it needs, to be made again before its next call.
bool Context::rests(int way) const {
  if (was_deleted_at_rest(way)) return true;
  const Carrier* const carrier = carrier_of(way);
  return carrier != nullptr && carrier->rests();
}

/// Frees what ways need that are tried now and then. While candidates are tried, the fastest so far does not rest:
/// where that is not known, only the one that was tried does. Where all may rest all the same, their times are kept:
/// they are compared later.
void Context::let_rest(const Tuner::Turn& turn, Communicator& communicator) {
  const std::optional<int> chosen = tuner_->chosen();
  const bool is_open = tuner_->explores() && !chosen;
  for (int way = 0; way < tuner_->candidates(); ++way) {
    const bool was_tried = turn.exploring && way == turn.candidate;
    if (way == tuner_->proposed() || way == chosen) continue;
    if (is_open && !tuner_->others_may_rest() && !was_tried) continue;
    if (!is_open || !tuner_->others_may_rest()) tuner_->rest(way);
    Carrier* const carrier = carrier_of(way);
    if (carrier == nullptr) continue;
    any_rests_ = true;
    if (!carrier->rest(communicator.resources())) continue;
    delete_carrier(way);
    if (!rested_) rested_ = std::make_unique<std::vector<bool>>(ways());
    (*rested_)[static_cast<std::size_t>(way)] = true;
  }
}

int Context::carry_out(const Call& call, const Facts& facts, Communicator& communicator) {
  const Tuner::Turn turn = tuner_->begin();
  if (any_rests_) wake(turn, call, facts, communicator);
  const std::uint64_t freed = Communicator::freed();
  // Copies: an error handler may call the same collective in `run`.
  const auto work = static_cast<double>(facts.work);
  const bool synchronises = facts.synchronises;
  const bool timed = !tuner_->may_pass() || !setup().latest.was_by(this);
  const double start = timed ? Clock::now() : 0;
  const Result result = run(turn.candidate, call, facts, communicator);
  const double end = timed ? Clock::now() : 0;
  // An error handler may have freed the communicator, and this object with it. Some libraries then return success.
  if (freed != Communicator::freed() && !Communicator::lives_since(&communicator, freed)) return result.error;
  if (result.error != MPI_SUCCESS && result.reported && is_refusal(result.error)) return result.error;
  if (result.setup_s > 0) {
    tuner_->add_setup(turn, result.setup_s);
    communicator.learn_setup(way(turn.candidate), result.setup_s);
    if (agreed_at_ > 0) agreed_at_ += result.setup_s;  // the program's time between calls has no part of it
  }
  if (!timed) {
    setup().latest.ended_untimed();
    tuner_->pass(turn, work, result.served);
  } else {
    const bool follows = !process().concurrent;
    const double before = follows ? setup().latest.since_end(start) : SampledCalls::unknown;
    if (follows) follow(start, end, synchronises, communicator);
    tuner_->end(turn, end - start - result.setup_s, work, result.served);
    if (profiled_) profile(start, end, before, work);
  }
  if (turn.exploring || tuner_->is_due()) conclude(turn, timed ? end : Clock::now(), communicator);
  if (result.error != MPI_SUCCESS && !result.reported) pmpi.Comm_call_errhandler(call.comm, result.error);
  return result.error;
}

/// Tells the tuner what came before a call, and then what comes before the next one.
void Context::follow(double start, double end, bool synchronises, const Communicator& communicator) {
  LatestCollective& latest = setup().latest;
  tuner_->came_after(latest.since_all_met(communicator.number(), key_.bytes, process().size, start));
  if (synchronises) {
    latest.all_met(communicator.number(), ranks_, key_.bytes, end);
  } else {
    latest.ended(end);
  }
  if (!profiled_) latest.is_by(this);
}

void Context::profile(double start, double end, double before, double work) {
  Profiled& kept = *profiled_;
  kept.seconds += end - start;
  Profile& of_run = *setup().profile;
  kept.sampled.add(end - start, before);
  if (key_.bytes < 0) kept.moved += work;
  if (of_run.order) of_run.order->follow(kept.in_order, start, end);
}

/// Follows a call that explores, or after which the ranks agree. Measures the bookkeeping of these calls only.
[[gnu::noinline]] void Context::conclude(const Tuner::Turn& turn, double end, Communicator& communicator) {
  double met = end;
  if (tuner_->is_due() && !have_met_) {
    meet(communicator);
    met = Clock::now();
  }
  const bool agrees = tuner_->is_due();
  if (agrees) tuner_->stretch_took(agreed_at_ > 0 ? end - agreed_at_ : 0);
  if (agrees && tuner_->agree(*communicator.resources().channel(), setup().settings.samples)) {
    for (const Used& one : carriers_)
      if (one.way != tuner_->proposed()) one.carrier->release(communicator.resources());
    std::erase_if(carriers_, [&](const Used& one) { return one.way != tuner_->proposed(); });
    carriers_.shrink_to_fit();
    if (rested_ && !was_deleted_at_rest(tuner_->proposed())) {
      rested_.reset();
    } else if (rested_) {
      rested_ = std::make_unique<std::vector<bool>>(ways());
      (*rested_)[static_cast<std::size_t>(tuner_->proposed())] = true;
    }
    any_rests_ = any_rests_ && rests(tuner_->proposed());
  }
  if (agrees && keeps_trying_) let_rest(turn, communicator);
  if (agrees && end >= setup().next_checkpoint) setup().checkpoint();
  tuner_->add_bookkeeping(turn, Clock::now() - end, agrees, met - end);
  if (!agrees) return;
  if (tuner_->wants_measurement()) communicator.measure_network();
  agreed_at_ = Clock::now();
}

void Context::add_to(ProfileSum& profile, CallsOfRank calls) const {
  if (!profiled_ || tuner_->calls() == 0) return;
  calls.calls = tuner_->calls();
  calls.seconds = profiled_->seconds;
  calls.moved = profiled_->moved;
  if (waits_for_all(collective_)) calls.sampled = profiled_->sampled.kept();
  profile.add(key_record(), calls);
}

ContextRecord Context::key_record() const {
  ContextRecord record;
  record.collective = std::string(name_of(collective_));
  if (key_.bytes >= 0) record.bytes = key_.bytes;
  record.bucket = key_.bucket;
  if (key_.bucket && key_.up_to != 2 * key_.bytes && key_.bytes > 0) record.up_to = key_.up_to;
  record.in_place = key_.in_place;
  if (reduces(collective_))
    record.operator_class = key_.built_in ? "built-in" : key_.commutative ? "commutative" : "non-commutative";
  record.ranks = ranks_;
  record.nodes = spread_.nodes;
  record.ranks_per_node = spread_.ranks_per_node;
  record.layout = spread_.layout;
  return record;
}

/// What happened with the ways `which`, without their names, for a record that has the call key.
void Context::fill_in(ContextRecord& record, std::span<const int> which) const {
  record.candidates.resize(which.size());
  const auto winner = tuner_->fill_in(record, which);
  record.winner = way(tuner_->eligible(winner) ? winner : 0).name().text();
  const ContextRecord* const earlier = setup().earlier.find(record);
  if (earlier == nullptr) return;
  std::vector<Interned> names;
  names.reserve(which.size());
  for (const int one : which) names.push_back(way(one).name());
  const std::vector<std::optional<Earlier>> known = EarlierRuns::of(*earlier, names);
  for (std::size_t place = 0; place < which.size(); ++place)
    if (known[place]) record.candidates[place].earlier_s = known[place]->seconds;
}

ContextRecord Context::record() const {
  std::vector<int> all(ways());
  std::iota(all.begin(), all.end(), 0);
  ContextRecord record = key_record();
  fill_in(record, all);
  for (const int i : all) {
    CandidateRecord& one = record.candidates[static_cast<std::size_t>(i)];
    one.name = way(i).algorithm_name().text();
    const Parameters values = way(i).parameter_values();
    one.parameters.assign(values.all().begin(), values.all().end());
    const std::optional<int> other = tuner_->tried_instead_of(i);
    one.reason = other ? the_same_as(way(*other).name(), ranks_) : tuner_->refusal(i).text();
  }
  return record;
}

void Context::add_to(ContextRecord& record, ContextRecord& key) const {
  std::vector<int> which;
  for (int i = 0; i < tuner_->candidates(); ++i)
    if (tuner_->tried(i) || tuner_->has_note(i) ||
        (tuner_->eligible(i) && !record.candidates[static_cast<std::size_t>(i)].eligible))
      which.push_back(i);
  fill_in(key, which);
  fold_by_place(record, key, which);
}

}  // namespace starling
