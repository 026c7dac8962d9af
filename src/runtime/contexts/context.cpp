#include "runtime/contexts/context.hpp"

#include <algorithm>

#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

std::vector<std::pair<std::string, std::string>> attributes_of(const Bound& bound) {
  std::vector<std::pair<std::string, std::string>> attributes{
      {"algorithm", std::string(bound.algorithm->name)},
      {"synchronisation", std::string(name_of(bound.synchronisation))}};
  for (const auto& parameter : bound.parameters.all()) attributes.push_back(parameter);
  return attributes;
}

/// Why a candidate is out for reasons that lie not in the algorithm but in the call or the settings.
std::string refusal_here(const Bound& bound, const Situation& situation, const Settings& settings, bool forced) {
  if (situation.bytes == 0 && situation.collective != Collective::barrier) return "there is no data";
  if (forced) return bound.refusal(situation);
  if (situation.ranks == 1) return "one rank has nobody to talk to";
  if (!settings.admits(name_of(situation.collective), bound.algorithm_name(), bound.name()))
    return "left out by --only or --except";
  if (settings.reproducible && reduces(situation.collective))
    return "--reproducible keeps the order of native's reductions";
  if (bound.algorithm->probe_up_to > 0 && situation.bytes > bound.algorithm->probe_up_to)
    return "only tried up to " + std::to_string(bound.algorithm->probe_up_to) + " bytes";
  return bound.refusal(situation);
}

/// The same for all sizes that the key stands for: those at the ends of a bucket, where there is one.
std::string refusal_here(const Bound& bound, const Facts& facts, const Settings& settings, bool forced) {
  if (!facts.key.bucket || facts.situation.bytes == 0) return refusal_here(bound, facts.situation, settings, forced);
  const auto of_bytes = [&](std::int64_t bytes) {
    Situation situation = facts.situation;
    const std::int64_t bytes_of_one =
        std::max<std::int64_t>(1, situation.bytes / std::max<std::int64_t>(1, situation.elements));
    situation.elements = std::max<std::int64_t>(1, bytes / bytes_of_one);
    situation.bytes = bytes;
    return refusal_here(bound, situation, settings, forced);
  };
  std::string why = of_bytes(facts.key.bytes);
  return why.empty() ? of_bytes((2 * facts.key.bytes) - 1) : why;
}

/// Whether an error is one that MPI finds in the arguments, before the call begins: then it was not made at all, and
/// the other ranks still wait for this one to make it.
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

Context::Context(const Facts& facts, Communicator& communicator)
    : key_(facts.key),
      collective_(facts.situation.collective),
      ranks_(communicator.size()),
      spread_(communicator.spread()) {
  const Setup& now = setup();
  const bool forced = now.strategy->forces;
  Brief brief;
  brief.settings = now.settings.tuning;
  brief.varying_work = facts.key.bucket || facts.key.bytes < 0;
  if (forced) {
    brief.argument = forced_for(now.strategy_argument, name_of(collective_), forced_names());
    if (const auto named = candidate_named(collective_, brief.argument)) {
      forced_ = std::make_unique<const Bound>(*named);
      brief.argument = forced_->name();  // with the values of the parameters that the user left open
      bounds_ = {forced_.get(), 1};
    }
  } else {
    brief.argument = now.strategy_argument;
    const bool is_left_to_native = facts.key.bucket && now.strategy->few_sizes;
    if (now.strategy->learns && !is_left_to_native) bounds_ = starling::candidates(collective_);
  }
  brief.candidates.push_back({.name = "native", .group = "native", .attributes = {{"algorithm", "native"}}});
  for (const Bound& bound : bounds_)
    brief.candidates.push_back({.name = bound.name(),
                                .group = bound.group(),
                                .attributes = attributes_of(bound),
                                .refusal = refusal_here(bound, facts, now.settings, forced),
                                .earlier = {}});
  const auto others = std::span(brief.candidates).subspan(1);
  if (std::any_of(others.begin(), others.end(), [](const Candidate& one) { return one.eligible(); })) {
    if (const std::string why = communicator.refusal(collective_); !why.empty())
      for (Candidate& candidate : others)
        if (candidate.eligible()) candidate.refusal = why;
  }
  if (const ContextRecord* known = now.earlier.find(key_record()))
    for (Candidate& candidate : brief.candidates) candidate.earlier = EarlierRuns::of(*known, candidate.name);
  for (const Candidate& candidate : brief.candidates) refusals_.push_back(candidate.refusal);
  entries_.resize(brief.candidates.size());
  strategy_ = now.strategy->make(brief);
}

std::string Context::name(std::size_t candidate) const {
  return candidate == 0 ? "native" : bounds_[candidate - 1].name();
}

Context::Result Context::run(std::size_t candidate, const Call& call, const Facts& facts, Communicator& communicator) {
  std::unique_ptr<Prepared>& prepared = entry(candidate).prepared;
  if (!prepared && eligible(candidate)) prepared = std::make_unique<Prepared>(bounds_[candidate - 1]);
  if (prepared) {
    const int error = prepared->carry_out(call, facts, communicator.resources());
    if (prepared->refused().empty()) return {error, false};
    refusals_[candidate] = prepared->refused();
    prepared.reset();
  }
  return {call.native(call), true};
}

int Context::carry_out(const Call& call, const Facts& facts, Communicator& communicator) {
  const auto candidate = static_cast<std::size_t>(strategy_->proposed());
  const bool exploring = strategy_->exploring();
  const std::uint64_t freed = Communicator::freed();
  const auto work = static_cast<double>(facts.work);  // an error handler may make a call of the same kind meanwhile
  const double start = Clock::now();
  const Result result = candidate == 0 ? Result{call.native(call), true} : run(candidate, call, facts, communicator);
  const double end = Clock::now();
  // An error handler may have freed the communicator, and all this with it. Some libraries return success after that.
  if (freed != Communicator::freed() && !Communicator::lives_since(&communicator, freed)) return result.error;
  if (result.error != MPI_SUCCESS && result.by_library && is_refusal(result.error)) return result.error;
  const double seconds = end - start;

  // What is refused in the act is refused on all ranks, and native's time is not the candidate's.
  const bool served = eligible(candidate);
  Entry& used = entry(served ? candidate : 0);
  used.samples.add(seconds);
  ++calls_;
  seconds_ += seconds;
  const std::span<const double> local = strategy_->observe(served ? seconds : refused_seconds, work);
  if (exploring || !local.empty()) conclude(start, end, exploring, local, communicator);
  if (result.error != MPI_SUCCESS && !result.by_library) pmpi.Comm_call_errhandler(call.comm, result.error);
  return result.error;
}

/// What a call is not spared that explores, or after which the ranks agree. Bookkeeping is timed here, and not in the
/// steady state.
[[gnu::noinline]] void Context::conclude(double start, double end, bool exploring, std::span<const double> local,
                                         Communicator& communicator) {
  const bool agrees = !local.empty();
  if (exploring) {
    ++trying().exploring.calls;
    trying().exploring.seconds += end - start;
  }
  if (agrees) agree(local, communicator);
  const double spent = Clock::now() - end;
  if (exploring) {
    trying().exploring.bookkeeping_seconds += spent;
    if (!agrees) trying().bookkeeping.add(spent);
  } else {
    ++trying().agreed_calls;
    trying().agreed_seconds += spent;
  }
}

/// All ranks come to a verdict of what they measured, and hear how long the slowest of them took.
void Context::agree(std::span<const double> local, Communicator& communicator) {
  Trying& trying = this->trying();
  std::vector<double>& agreed = trying.agreed;
  const Spent now{seconds_, trying.exploring.seconds};
  agreed.assign(local.begin(), local.end());
  agreed.push_back(now.all - trying.told.all);
  agreed.push_back(now.exploring - trying.told.exploring);
  trying.told = now;
  Channel& channel = *communicator.resources().channel();
  const std::span<double> numbers = std::span(agreed).first(local.size());
  channel.reduce_to_first(agreed, 2, setup().settings.samples);
  if (strategy_->judge() == Judge::first_rank) {
    if (communicator.rank() == 0) {
      const std::span<const double> ruling = strategy_->ruling(numbers);
      std::copy(ruling.begin(), ruling.end(), numbers.begin());
    }
  }
  channel.broadcast(agreed);
  if (!trying.slowest) trying.slowest.emplace();
  trying.slowest->all += agreed[local.size()];
  trying.slowest->exploring += agreed[local.size() + 1];
  strategy_->verdict(numbers);
  if (!strategy_->settled()) return;
  std::vector<double>().swap(agreed);
  trying.bookkeeping.condense();
  release_losers(communicator);
}

/// Frees what was made for candidates that are not used. On all ranks at the same call.
void Context::release_losers(Communicator& communicator) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry* const one = entries_[i].get();
    if (one == nullptr || static_cast<int>(i) == strategy_->proposed()) continue;
    one->samples.condense();
    if (!one->prepared) continue;
    one->prepared->release(communicator.resources());
    one->prepared.reset();
  }
}

ContextRecord Context::key_record() const {
  ContextRecord record;
  record.collective = std::string(name_of(collective_));
  if (key_.bytes >= 0) record.bytes = key_.bytes;
  record.bucket = key_.bucket;
  record.in_place = key_.in_place;
  if (reduces(collective_))
    record.operator_class = key_.built_in ? "built-in" : key_.commutative ? "commutative" : "non-commutative";
  record.ranks = ranks_;
  record.nodes = spread_.nodes;
  record.ranks_per_node = spread_.ranks_per_node;
  return record;
}

ContextRecord Context::record(Names names) const {
  ContextRecord record = key_record();
  record.calls = calls_;
  record.stage = std::string(strategy_->stage());
  const auto median = [&](std::size_t i) { return entries_[i] ? entries_[i]->samples.median() : std::nullopt; };
  auto winner = static_cast<std::size_t>(strategy_->proposed());
  std::optional<double> best = median(winner);
  // While candidates are still tried nothing has won: then the best so far counts.
  if (strategy_->exploring()) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!eligible(i) || !median(i) || (best && *median(i) >= *best)) continue;
      best = median(i);
      winner = i;
    }
  }
  record.winner = eligible(winner) ? name(winner) : "native";
  record.seconds = seconds_;
  record.native_s = median(0);
  const ContextRecord* const earlier = setup().earlier.find(record);
  record.candidates.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    CandidateRecord& one = record.candidates.emplace_back();
    one.eligible = eligible(i);
    if (names == Names::told) {
      one.name = i == 0 ? "native" : bounds_[i - 1].algorithm_name();
      if (i > 0) one.parameters.assign(bounds_[i - 1].parameters.all().begin(), bounds_[i - 1].parameters.all().end());
      one.reason = refusals_[i].text();
    }
    if (const auto found = one.eligible ? strategy_->found(static_cast<int>(i)) : std::nullopt) {
      one.agreed_s = found->seconds;
      one.deviation_s = found->deviation;
    }
    if (const auto known = earlier != nullptr ? EarlierRuns::of(*earlier, name(i)) : std::nullopt)
      one.earlier_s = known->seconds;
    if (!entries_[i]) continue;
    const Samples& samples = entries_[i]->samples;
    one.samples = samples.count();
    one.median_s = i == winner ? best : i == 0 ? record.native_s : samples.median();
    one.min_s = samples.min();
  }
  const Trying nothing;
  const Trying& trying = trying_ ? *trying_ : nothing;
  record.tuning_seconds =
      std::max(0.0, trying.exploring.seconds - (static_cast<double>(trying.exploring.calls) * best.value_or(0)));
  if (trying.slowest) {
    record.slowest_seconds = trying.slowest->all + (seconds_ - trying.told.all);
    const double usual = strategy_->found(static_cast<int>(winner)).value_or(Found{best.value_or(0)}).seconds;
    const double exploring = trying.slowest->exploring + (trying.exploring.seconds - trying.told.exploring);
    record.slowest_tuning_seconds = std::max(0.0, exploring - (static_cast<double>(trying.exploring.calls) * usual));
  }
  record.exploring = trying.exploring;
  record.settled.calls = calls_ - trying.exploring.calls;
  record.settled.seconds = std::max(0.0, seconds_ - trying.exploring.seconds);
  // A call of the steady state does no more than an exploring one that agrees on nothing, and isn't timed itself.
  record.settled.bookkeeping_seconds =
      trying.agreed_seconds +
      (static_cast<double>(record.settled.calls - trying.agreed_calls) * trying.bookkeeping.median().value_or(0));
  record.decisions_dropped = strategy_->decisions_dropped();
  record.decisions.assign(strategy_->decisions().begin(), strategy_->decisions().end());
  return record;
}

}  // namespace starling
