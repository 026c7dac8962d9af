#include "knowledge/fold.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace starling {
namespace {

struct Weighted {
  std::optional<double> value;
  std::int64_t samples;
};

/// The share of `other` in all samples of both; a half if neither has any.
double share_of(std::int64_t other, std::int64_t one) {
  return one + other > 0 ? static_cast<double>(other) / static_cast<double>(one + other) : 0.5;
}

/// The mean of the known values, weighted by samples.
std::optional<double> merged(const Weighted& one, const Weighted& other) {
  if (!one.value || !other.value) return one.value ? one.value : other.value;
  return std::lerp(*one.value, *other.value, share_of(other.samples, one.samples));
}

/// The deviation of both candidates' samples from their common mean; if only one is known, that one.
std::optional<double> merged_deviation(const CandidateRecord& one, const CandidateRecord& other) {
  if (!one.deviation_s || !other.deviation_s) return one.deviation_s ? one.deviation_s : other.deviation_s;
  const double share = share_of(other.samples, one.samples);
  const double apart = one.agreed_s && other.agreed_s ? *one.agreed_s - *other.agreed_s : 0;
  return std::sqrt(std::lerp(*one.deviation_s * *one.deviation_s, *other.deviation_s * *other.deviation_s, share) +
                   (share * (1 - share) * apart * apart));
}

std::optional<double> smaller(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

void add_count(std::int64_t& into, std::int64_t other) {
  into = std::min(into + other, most_counted);
}

/// The sum of the slowest ranks' seconds; rank 0's where they are unknown.
template <typename Spent>
std::optional<double> slowest_of(const Spent& one, const Spent& other, std::optional<double> Spent::*slowest,
                                 double Spent::*first) {
  if (!(one.*slowest) && !(other.*slowest)) return std::nullopt;
  return (one.*slowest).value_or(one.*first) + (other.*slowest).value_or(other.*first);
}

template <typename Spent>
void fold_spent(Spent& into, const Spent& other) {
  into.slowest_seconds = slowest_of(into, other, &Spent::slowest_seconds, &Spent::seconds);
  into.slowest_tuning_seconds = slowest_of(into, other, &Spent::slowest_tuning_seconds, &Spent::tuning_seconds);
  add_count(into.calls, other.calls);
  into.seconds += other.seconds;
  into.tuning_seconds += other.tuning_seconds;
}

void fold(CandidateRecord& into, const CandidateRecord& other) {
  into.median_s = merged({into.median_s, into.samples}, {other.median_s, other.samples});
  into.min_s = smaller(into.min_s, other.min_s);
  into.deviation_s = merged_deviation(into, other);
  into.agreed_s = merged({into.agreed_s, into.samples}, {other.agreed_s, other.samples});
  into.earlier_s = merged({into.earlier_s, into.samples}, {other.earlier_s, other.samples});
  if (other.setup_s) into.setup_s = into.setup_s.value_or(0) + *other.setup_s;
  add_count(into.samples, other.samples);
  into.eligible = into.eligible || other.eligible;
  if (into.eligible) into.reason.clear();
  if (into.note.empty()) into.note = other.note;
}

void fold(PhaseRecord& into, const PhaseRecord& other) {
  add_count(into.calls, other.calls);
  into.seconds += other.seconds;
  into.bookkeeping_seconds += other.bookkeeping_seconds;
}

void fold(std::optional<ArrivalsRecord>& into, const std::optional<ArrivalsRecord>& other) {
  if (!into)
    into = other;
  else if (other) {
    const double share = share_of(other->calls, into->calls);
    for (const auto member : {&ArrivalsRecord::slowest_s, &ArrivalsRecord::mean_s, &ArrivalsRecord::fastest_s})
      (*into).*member = std::lerp((*into).*member, (*other).*member, share);
    add_count(into->calls, other->calls);
    add_last(into->last, other->last, ArrivalsRecord::most_last);
  }
}

std::int64_t native_samples(const ContextRecord& context) {
  const int index = index_of(context.candidates, "native");
  return index < 0 ? 0 : context.candidates[static_cast<std::size_t>(index)].samples;
}

/// Adds the candidates of `other`. Returns their places in `into`.
std::vector<int> fold_candidates(ContextRecord& into, const ContextRecord& other) {
  std::vector<CandidateRecord>& all = into.candidates;
  const std::size_t known = all.size();
  std::vector<int> places;
  std::size_t expected = 0;
  for (const CandidateRecord& candidate : other.candidates) {
    std::size_t place = place_of(candidate, std::span(all).first(known), expected);
    if (place < known) {
      expected = place + 1;
      fold(all[place], candidate);
    } else {
      place = all.size();
      all.push_back(candidate);
    }
    places.push_back(static_cast<int>(place));
  }
  return places;
}

std::int64_t number_of_candidates(const ContextRecord& context) {
  return std::ssize(context.candidates) + context.candidates_left_out;
}

void fold_calls(ContextRecord& into, const ContextRecord& other) {
  if (other.calls > into.calls) {
    into.stage = other.stage;
    into.winner = other.winner;
  }
  fold_spent(into, other);
  fold(into.exploring, other.exploring);
  fold(into.settled, other.settled);
  fold(into.arrivals, other.arrivals);
}

}  // namespace

void add_decisions(ContextRecord& into, std::span<const Decision> others) {
  std::vector<Decision>& all = into.decisions;
  for (const Decision& decision : others) {
    const auto [first, later] =
        std::equal_range(all.begin(), all.end(), decision,
                         [](const Decision& one, const Decision& other) { return one.call < other.call; });
    // As on many communicators of one shape.
    if (std::find(first, later, decision) != later) continue;
    if (all.size() < decisions_kept) {
      all.insert(later, decision);
      continue;
    }
    add_count(into.decisions_dropped, 1);
    if (later == all.begin()) continue;
    std::move(all.begin() + 1, later, all.begin());
    *(later - 1) = decision;
  }
}

void fold(ContextRecord& into, const ContextRecord& other) {
  into.native_s = merged({into.native_s, native_samples(into)}, {other.native_s, native_samples(other)});
  const std::int64_t candidates_of_both = std::max(number_of_candidates(into), number_of_candidates(other));
  const std::vector<int> places = fold_candidates(into, other);
  std::vector<Decision> decisions = other.decisions;
  for (Decision& one : decisions)
    for (int* const index : {&one.from, &one.to})
      if (*index >= 0) *index = places[static_cast<std::size_t>(*index)];
  add_count(into.decisions_dropped, other.decisions_dropped);
  add_decisions(into, decisions);
  into.candidates_left_out =
      std::clamp<std::int64_t>(candidates_of_both - std::ssize(into.candidates), 0, most_counted);
  fold_calls(into, other);
}

void fold_by_place(ContextRecord& into, const ContextRecord& other, std::span<const int> places) {
  const auto candidate = [&](int place) -> CandidateRecord& {
    return into.candidates.at(static_cast<std::size_t>(place));
  };
  const auto native =
      std::find_if(places.begin(), places.end(), [&](int place) { return candidate(place).name == "native"; });
  if (native != places.end())
    into.native_s =
        merged({into.native_s, candidate(*native).samples},
               {other.native_s, other.candidates.at(static_cast<std::size_t>(native - places.begin())).samples});
  add_count(into.decisions_dropped, other.decisions_dropped);
  add_decisions(into, other.decisions);
  for (std::size_t i = 0; i < places.size(); ++i) fold(candidate(places[i]), other.candidates[i]);
  fold_calls(into, other);
}

void fold(LeftOut& into, const LeftOut& other) {
  add_count(into.contexts, other.contexts);
  fold_spent(into, other);
}

void fold(std::optional<LeftOut>& into, const std::optional<LeftOut>& other) {
  if (!into) {
    into = other;
  } else if (other) {
    fold(*into, *other);
  }
}

std::string call_key(const ContextRecord& of) {
  // Looked up for each context as its communicator is freed: numbers are written in place, in one piece of memory.
  const std::array<std::int64_t, 8> numbers{of.bytes.value_or(-1), of.bucket, of.up_to.value_or(0), of.ranks, of.nodes,
                                            of.ranks_per_node,     of.layout, of.in_place};
  constexpr std::size_t digits = std::numeric_limits<std::int64_t>::digits10 + 2;
  std::array<char, numbers.size() * (digits + 1)> text{};
  char* end = text.data();
  for (const std::int64_t number : numbers) {
    *end++ = ' ';
    end = std::to_chars(end, text.data() + text.size(), number).ptr;
  }
  *end++ = ' ';
  const std::string_view operator_class = of.operator_class ? std::string_view(*of.operator_class) : std::string_view();
  std::string key;
  key.reserve(of.collective.size() + static_cast<std::size_t>(end - text.data()) + operator_class.size());
  return key.append(of.collective).append(text.data(), end).append(operator_class);
}

void FoldedContexts::add(ContextRecord context) {
  const auto [place, is_new] = places_.try_emplace(call_key(context), contexts_.size());
  if (is_new) {
    contexts_.push_back(std::move(context));
  } else {
    fold(contexts_[place->second], context);
  }
}

const ContextRecord* FoldedContexts::find(const ContextRecord& key) const {
  if (contexts_.empty()) return nullptr;
  const auto found = places_.find(call_key(key));
  return found == places_.end() ? nullptr : &contexts_[found->second];
}

ContextRecord* FoldedContexts::find(const ContextRecord& key) {
  return const_cast<ContextRecord*>(std::as_const(*this).find(key));
}

std::vector<ContextRecord> FoldedContexts::take() {
  places_.clear();
  return std::exchange(contexts_, {});
}

double seconds_spent(const ContextRecord& context) {
  const double seconds = context.slowest_seconds.value_or(context.seconds);
  return std::isfinite(seconds) ? seconds : 0;
}

std::vector<ContextRecord> folded(std::vector<ContextRecord> contexts) {
  std::stable_sort(contexts.begin(), contexts.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
  FoldedContexts all;
  for (ContextRecord& one : contexts) all.add(std::move(one));
  contexts = all.take();
  for (ContextRecord& context : contexts)
    for (CandidateRecord& one : context.candidates)
      if (!one.eligible) one.note.clear();  // the reason says all
  std::stable_sort(contexts.begin(), contexts.end(),
                   [](const auto& a, const auto& b) { return seconds_spent(a) > seconds_spent(b); });
  return contexts;
}

}  // namespace starling
