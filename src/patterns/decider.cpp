#include "patterns/decider.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "measurement/statistics.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/clock.hpp"
#include "ways/library.hpp"

namespace starling::patterns {
namespace {

/// The most samples of a function that are kept until ranks agree.
constexpr std::size_t most_samples = 4096;

Figures figures_of(std::span<const double> samples, const OutlierRule& rule) {
  const double least = *std::min_element(samples.begin(), samples.end());
  const auto is_outlier = [&](double one) { return one > least && one >= rule.factor * least; };
  return {.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size()),
          .filtered = filtered_mean(samples, rule),
          .outliers = static_cast<double>(std::count_if(samples.begin(), samples.end(), is_outlier))};
}

/// Exchanges numbers between ranks, with numbers of the decider's own behind those of the tuner.
class WithOwn final : public Consensus {
 public:
  WithOwn(Consensus& ranks, std::vector<double>& own) : ranks_(ranks), own_(own) {}
  [[nodiscard]] bool is_first() const override { return ranks_.is_first(); }
  [[nodiscard]] int rank_in_world() const override { return ranks_.rank_in_world(); }
  void reduce_to_first(std::span<double> values, Fixed fixed, SampleReduction reduction) override {
    std::vector<double> all = joined(values);
    fixed.maxima += own_.size();
    ranks_.reduce_to_first(all, fixed, reduction);
    part(all, values);
  }
  void broadcast(std::span<double> values) override {
    std::vector<double> all = joined(values);
    ranks_.broadcast(all);
    part(all, values);
  }

 private:
  [[nodiscard]] std::vector<double> joined(std::span<const double> values) const {
    std::vector<double> all(values.begin(), values.end());
    all.insert(all.end(), own_.begin(), own_.end());
    return all;
  }
  void part(const std::vector<double>& all, std::span<double> values) {
    std::copy_n(all.begin(), values.size(), values.begin());
    std::copy(all.begin() + std::ssize(values), all.end(), own_.begin());
  }

  Consensus& ranks_;
  std::vector<double>& own_;
};

/// Names a candidate of a record by a public name: "chain?segment=8192".
void name(CandidateRecord& candidate, std::string_view text) {
  const auto take = [&](char separator) {
    const std::string_view taken = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), taken.size() + 1));
    return std::string(taken);
  };
  candidate.name = take('?');
  while (!text.empty()) {
    const std::string parameter = take('=');
    candidate.parameters.emplace_back(parameter, take(','));
  }
}

bool is_of_this_world(const Topology& topology) {
  const auto& ranks = topology.in_world();
  return std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) == ranks.end();
}

}  // namespace

Decider::Decider(Task task, std::shared_ptr<Topology> topology, Choosing choosing)
    : task_(std::move(task)),
      topology_(std::move(topology)),
      choosing_(std::move(choosing)),
      samples_(task_.functions.size()),
      figures_(task_.functions.size()) {
  const bool active = job().running && is_of_this_world(*topology_);
  task_.key.ranks = topology_->ranks();
  if (active) {
    const Spread spread = topology_->places() == nullptr ? Spread{} : topology_->places()->spread();
    task_.key.nodes = spread.nodes;
    task_.key.ranks_per_node = spread.ranks_per_node;
    task_.key.layout = spread.layout;
    channel_ = topology_->resources().channel(setup().experience.knows(topology_->ranks()));
  }
  if (choosing_.strategy == nullptr || channel_ == nullptr) choosing_.strategy = strategy_named("native")->first;
  if (const ContextRecord* const known =
          active && choosing_.starts_from_history ? setup().earlier.find(task_.key) : nullptr)
    for (Candidate& one : task_.functions) one.earlier = EarlierRuns::of(*known, one.name);
  const Settings& settings = setup().settings;
  for (Candidate& one : std::span(task_.functions).subspan(1))
    if (one.eligible() && !choosing_.strategy->forces &&
        !settings.admits(task_.name_in_settings, one.name.text(), one.name.text()))
      one.refusal = "left out by --only or --except";
  make_tuner();
  if (!active) return;
  const std::scoped_lock lock(setup().guard);
  setup().others.insert(this);
}

Decider::~Decider() {
  Setup& now = setup();
  const std::scoped_lock lock(now.guard);
  if (now.others.erase(this) != 0) add_to(now.finished);
}

void Decider::make_tuner() {
  Brief brief;
  brief.key = {.what = task_.key.collective,
               .bytes = task_.key.bytes.value_or(-1),
               .ranks = task_.key.ranks,
               .nodes = task_.key.nodes,
               .ranks_per_node = task_.key.ranks_per_node,
               .layout = task_.key.layout};
  brief.candidates = task_.functions;
  brief.settings = choosing_.settings;
  brief.argument = choosing_.argument;
  brief.is_first_rank = topology_->rank() == 0;
  brief.unpredicted = true;
  brief.tells_first = std::any_of(brief.candidates.begin(), brief.candidates.end(),
                                  [](const Candidate& one) { return one.earlier.has_value(); });
  tuner_ = std::make_unique<Tuner>(brief, choosing_.strategy->make);
  if (channel_ != nullptr) tuner_->open(*channel_);
  exploring_ = tuner_->begin().exploring;
}

Tuner::Turn Decider::begin(const void* who) {
  if (!ended_.empty()) make_final(who);
  if (channel_ != nullptr && tuner_->is_due()) agree();
  return tuner_->begin_in_flight();
}

void Decider::end(const void* who, const Tuner::Turn& turn, double seconds, Ending ending) {
  ended_.push_back({who, turn, seconds, ending});
}

bool Decider::replace(const void* who, double seconds) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) { return one.who == who; });
  if (found == ended_.end()) return false;
  found->seconds = seconds;
  return true;
}

void Decider::make_final(const void* who) {
  if (ended_.size() == 1 && ended_.front().who == who) {
    const Ended call = ended_.front();
    ended_.clear();
    make_final(call);
    return;
  }
  for (auto one = ended_.begin(); one != ended_.end();) {
    if (one->who != who) {
      ++one;
      continue;
    }
    const Ended call = *one;
    one = ended_.erase(one);
    make_final(call);
  }
}

void Decider::make_final(const Ended& call) {
  const bool served = call.ending == Ending::served;
  tuner_->end(call.turn, call.seconds, 0, served);
  if (call.ending == Ending::failed) failed_ = call.turn.candidate;
  if (!call.turn.exploring || !served) return;
  std::vector<double>& samples = samples_[static_cast<std::size_t>(call.turn.candidate)];
  if (samples.size() < most_samples) samples.push_back(call.seconds);
}

/// Besides what the strategy asks for, the ranks tell each other which function failed on one of them, and the figures
/// of those that were tried since they last agreed.
void Decider::agree() {
  const double start = Clock::now();
  while (!ended_.empty()) {
    const Ended call = ended_.front();
    ended_.erase(ended_.begin());
    make_final(call);
  }
  const Tuner::Turn before{-1, tuner_->proposed(), exploring_, false};
  std::vector<double> own{static_cast<double>(failed_) + 1};
  const auto functions = samples_.size();
  const OutlierRule rule{choosing_.settings.outlier_factor, choosing_.settings.outlier_fraction};
  for (const auto& samples : samples_) {
    const Figures mine = samples.empty() ? Figures{} : figures_of(samples, rule);
    own.insert(own.end(), {samples.empty() ? 0.0 : 1.0, mine.mean, mine.filtered, mine.outliers});
  }
  WithOwn ranks(*channel_, own);
  const bool settled = tuner_->agree(ranks, setup().settings.samples);
  if (own.front() > 0) tuner_->refuse(static_cast<int>(own.front()) - 1, "it failed on a rank");
  failed_ = -1;
  for (std::size_t i = 0; i < functions; ++i) {
    if (own[1 + (4 * i)] > 0) figures_[i] = Figures{own[2 + (4 * i)], own[3 + (4 * i)], own[4 + (4 * i)]};
    samples_[i].clear();
  }
  exploring_ = tuner_->begin().exploring;
  if (settled && (before.exploring || settlements_ == 0)) ++settlements_;
  tuner_->add_bookkeeping(before, Clock::now() - start, true);
}

std::optional<int> Decider::winner() const {
  const auto is_known = [](const Candidate& one) { return one.earlier.has_value(); };
  const bool has_begun_with_one =
      !choosing_.strategy->learns || std::any_of(task_.functions.begin(), task_.functions.end(), is_known);
  return exploring_ || (settlements_ == 0 && !has_begun_with_one) ? std::nullopt : std::optional(chosen());
}

int Decider::tried() const {
  return static_cast<int>(
      std::count_if(figures_.begin(), figures_.end(), [](const auto& one) { return one.has_value(); }));
}

int Decider::best() const {
  int found = -1;
  for (std::size_t i = 0; i < figures_.size(); ++i)
    if (figures_[i] && (found < 0 || figures_[i]->filtered < figures_[static_cast<std::size_t>(found)]->filtered))
      found = static_cast<int>(i);
  return found;
}

void Decider::restore(const std::vector<Figures>& known) {
  ended_.clear();
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    samples_[i].clear();
    figures_[i].reset();
    task_.functions[i].earlier.reset();
    if (i >= known.size()) continue;
    figures_[i] = known[i];
    task_.functions[i].earlier = Earlier{known[i].filtered, choosing_.settings.iterations};
  }
  settlements_ = 0;
  make_tuner();
}

void Decider::add_to(Happened& happened) const {
  if (topology_->rank() != 0 || tuner_->calls() == 0) return;
  ContextRecord record = task_.key;
  std::vector<int> all(task_.functions.size());
  std::iota(all.begin(), all.end(), 0);
  record.candidates.resize(all.size());
  const int winner = tuner_->fill_in(record, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CandidateRecord& one = record.candidates[i];
    name(one, task_.functions[i].name.text());
    one.reason = tuner_->refusal(static_cast<int>(i)).text();
    if (task_.functions[i].earlier) one.earlier_s = task_.functions[i].earlier->seconds;
  }
  record.winner = task_.functions[tuner_->eligible(winner) ? static_cast<std::size_t>(winner) : 0].name.text();
  // The baseline is one of the program's functions, not the MPI library's way.
  if (record.candidates.front().name != Library::native) record.native_s.reset();
  happened.add(std::move(record));
}

}  // namespace starling::patterns
