#include "knowledge/bounded_contexts.hpp"

#include <utility>

namespace starling {
namespace {

/// About how much memory a context takes.
std::size_t memory_of(const ContextRecord& context) {
  const auto outside = [](const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() : 0;
  };
  std::size_t bytes = sizeof context + (context.candidates.capacity() * sizeof(CandidateRecord)) +
                      (context.decisions.capacity() * sizeof(Decision)) + outside(context.winner);
  for (const CandidateRecord& one : context.candidates)
    bytes += outside(one.name) + outside(one.reason) + outside(one.note) +
             (one.parameters.capacity() * sizeof(one.parameters[0]));
  for (const Decision& one : context.decisions) bytes += outside(one.why);
  return bytes;
}

}  // namespace

void BoundedContexts::add(ContextRecord context) {
  std::string key = call_key(context);
  const auto [known, is_new] = numbers_.try_emplace(key, next_number_);
  if (!is_new) {
    fold(make_latest(known->second).context, context);
    return;
  }
  held_.emplace_hint(held_.end(), next_number_, Held{.key = std::move(key), .context = std::move(context)});
  make_latest(next_number_++);
}

ContextRecord* BoundedContexts::find(const ContextRecord& key) {
  const auto known = numbers_.find(call_key(key));
  return known == numbers_.end() ? nullptr : &make_latest(known->second).context;
}

RunRecord BoundedContexts::take() {
  RunRecord all;
  all.contexts.reserve(held_.size());
  for (auto& [number, held] : held_) all.contexts.push_back(std::move(held.context));
  all.left_out = left_out_;
  *this = BoundedContexts();
  return all;
}

/// What is added to a context changes its place.
BoundedContexts::Held& BoundedContexts::make_latest(std::int64_t number) {
  Held& held = held_.at(number);
  if (held.place) {
    places_.erase(*held.place);
    held.place.reset();
    bytes_ -= held.bytes;
  } else {
    latest_.erase(held.added_to);
  }
  held.added_to = ++additions_;
  latest_.emplace_hint(latest_.end(), held.added_to, number);
  bound();
  return held;
}

void BoundedContexts::bound() {
  if (latest_.size() > most_latest) put_in_place(latest_.extract(latest_.begin()).mapped());
  for (int step = 0; step < most_steps && bytes_ > most_bytes && !places_.empty(); ++step) leave_out_lightest();
}

void BoundedContexts::put_in_place(std::int64_t number) {
  Held& held = held_.at(number);
  held.bytes = memory_of(held.context);
  bytes_ += held.bytes;
  held.place = {completeness_of(held.context), seconds_spent(held.context), number};
  places_.insert(*held.place);
}

void BoundedContexts::leave_out_lightest() {
  ++steps_;
  const auto [left, seconds, number] = places_.extract(places_.begin()).value();
  const auto found = held_.find(number);
  Held& held = found->second;
  bytes_ -= held.bytes;
  if (left == Completeness::sums) {
    fold(left_out_, sums_of(held.context));
    numbers_.erase(held.key);
    held_.erase(found);
    return;
  }
  leave_out_next(held.context, left);
  put_in_place(number);
}

}  // namespace starling
