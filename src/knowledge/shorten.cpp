#include "knowledge/shorten.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/record_json.hpp"

namespace starling {
namespace {

/// Bytes for the parts of a record other than contexts; a program's command line may be long.
constexpr std::size_t besides = std::size_t{64} << 10;

/// Most names need not be put together.
bool is_winner(const CandidateRecord& one, const ContextRecord& context) {
  return context.winner.starts_with(one.name) && public_name(one) == context.winner;
}

/// By candidate, whether it stays: native, the winner, those that decisions name, and those that `wanted` accepts.
template <typename WantedCandidate>
std::vector<bool> kept_candidates(const ContextRecord& context, WantedCandidate wanted) {
  std::vector<bool> kept;
  kept.reserve(context.candidates.size());
  for (const CandidateRecord& one : context.candidates)
    kept.push_back(wanted(one) || one.name == "native" || is_winner(one, context));
  const auto keep = [&](int index) {
    if (index >= 0) kept[static_cast<std::size_t>(index)] = true;
  };
  for (const Decision& one : context.decisions) {
    keep(one.from);
    keep(one.to);
  }
  return kept;
}

void keep_candidates(ContextRecord& context, const std::vector<bool>& kept) {
  std::vector<CandidateRecord>& all = context.candidates;
  std::vector<int> places(all.size(), -1);
  std::vector<CandidateRecord> few;
  few.reserve(static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!kept[i]) continue;
    places[i] = static_cast<int>(few.size());
    few.push_back(std::move(all[i]));
  }
  context.candidates_left_out += std::ssize(all) - std::ssize(few);
  all = std::move(few);  // not resize, which keeps the memory
  const auto placed = [&](int index) { return index < 0 ? -1 : places[static_cast<std::size_t>(index)]; };
  for (Decision& one : context.decisions) {
    one.from = placed(one.from);
    one.to = placed(one.to);
  }
}

bool is_measured(const CandidateRecord& one) {
  return one.samples > 0 || one.agreed_s || one.earlier_s;
}

void drop_unmeasured(ContextRecord& context) {
  keep_candidates(context, kept_candidates(context, is_measured));
}

void drop_details(ContextRecord& context) {
  context.decisions_dropped += std::ssize(context.decisions);
  context.decisions = std::vector<Decision>();  // not clear, which keeps the memory
  keep_candidates(context, kept_candidates(context, [](const CandidateRecord&) { return false; }));
}

}  // namespace

Completeness completeness_of(const ContextRecord& context) {
  const auto drops = [](const std::vector<bool>& kept) {
    return std::find(kept.begin(), kept.end(), false) != kept.end();
  };
  if (drops(kept_candidates(context, is_measured))) return Completeness::whole;
  const bool has_details =
      !context.decisions.empty() || drops(kept_candidates(context, [](const CandidateRecord&) { return false; }));
  return has_details ? Completeness::measured : Completeness::sums;
}

void leave_out_next(ContextRecord& context, Completeness left) {
  left == Completeness::whole ? drop_unmeasured(context) : drop_details(context);
}

LeftOut sums_of(const ContextRecord& context) {
  return {1,
          context.calls,
          context.seconds,
          context.tuning_seconds,
          context.slowest_seconds,
          context.slowest_tuning_seconds};
}

void shorten(RunRecord& record, std::size_t most) {
  std::vector<ContextRecord>& contexts = record.contexts;
  std::vector<std::size_t> sizes;
  std::transform(contexts.begin(), contexts.end(), std::back_inserter(sizes), json_size);
  std::size_t total = std::accumulate(sizes.begin(), sizes.end(), besides);
  if (total <= most) return;

  std::vector<std::size_t> lightest_first(contexts.size());
  std::iota(lightest_first.begin(), lightest_first.end(), 0U);
  std::stable_sort(lightest_first.begin(), lightest_first.end(), [&](std::size_t one, std::size_t other) {
    return seconds_spent(contexts[one]) < seconds_spent(contexts[other]);
  });
  for (void (*const drop)(ContextRecord&) : {drop_unmeasured, drop_details}) {
    for (const std::size_t i : lightest_first) {
      if (total <= most) return;
      drop(contexts[i]);
      total -= sizes[i];
      sizes[i] = json_size(contexts[i]);
      total += sizes[i];
    }
  }
  std::vector<bool> stays(contexts.size(), true);
  for (const std::size_t i : lightest_first) {
    if (total <= most) break;
    total -= sizes[i];
    stays[i] = false;
    fold(record.left_out, sums_of(contexts[i]));
  }
  std::size_t place = 0;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (!stays[i]) continue;
    if (i != place) contexts[place] = std::move(contexts[i]);
    ++place;
  }
  contexts.resize(place);
}

}  // namespace starling
