#include "cost/fair_shares.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace starling {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Of its duration that a flow may end early, together with another.
constexpr double together = 1e-3;
/// Shares that differ by less are equal.
constexpr double rounding = 1e-12;

}  // namespace

FairShares::FairShares(std::span<const std::int64_t> rates, int longest_path) : longest_path_(longest_path) {
  links_.reserve(rates.size());
  for (const std::int64_t rate : rates) links_.push_back({.rate = rate});
}

std::span<const int> FairShares::links_of(int flow) const {
  return std::span(links_of_).subspan(first_use(flow),
                                      static_cast<std::size_t>(flows_[static_cast<std::size_t>(flow)].hops));
}

void FairShares::start(int name, std::span<const int> links, std::int64_t bytes, double now) {
  now_ = now;
  if (free_.empty()) {
    free_.push_back(static_cast<int>(flows_.size()));
    flows_.emplace_back();
    links_of_.resize(first_use(static_cast<int>(flows_.size())));
    use_at_.resize(links_of_.size());
  }
  const int number = free_.back();
  free_.pop_back();
  std::int64_t limit = std::numeric_limits<std::int64_t>::max();
  for (const int one : links) limit = std::min(limit, link(one).rate);
  Flow& flow = at(number);
  flow = {.name = name,
          .hops = static_cast<int>(links.size()),
          .limit = limit,
          .rate = 0,
          .left = 8 * static_cast<double>(bytes),
          .since = now,
          .started = now,
          .end = never,
          .heralded = never,
          .life = flow.life,
          .mark = 0,
          .settled = false};
  std::size_t use = first_use(number);
  for (const int one : links) {
    links_of_[use] = one;
    use_at_[use] = static_cast<int>(link(one).uses.size());
    link(one).uses.push_back(static_cast<int>(use));
    link(one).demand += limit;
    ++use;
  }
  touch_flow(number);
}

double FairShares::next_end() {
  if (!touched_flows_.empty() || !touched_links_.empty()) {
    spread();
    share_out();
    touched_flows_.clear();
    touched_links_.clear();
    ++mark_;
  }
  while (!ends_.empty()) {
    const End next = ends_.top();
    Flow& flow = at(next.flow);
    if (flow.life == next.life && flow.end <= next.time) return next.time;
    ends_.pop();
    if (flow.life != next.life || next.time > flow.heralded) continue;
    flow.heralded = flow.end;
    ends_.push({flow.end, next.flow, next.life});
  }
  return never;
}

std::span<const int> FairShares::ended(double now) {
  ended_.clear();
  now_ = now;
  while (!ends_.empty()) {
    const End next = ends_.top();
    const Flow& flow = at(next.flow);
    const bool over = flow.life != next.life;
    if (!over && next.time > now + (together * (now - flow.started))) break;
    ends_.pop();
    if (over) continue;
    if (flow.end > now + (together * (now - flow.started))) {
      at(next.flow).heralded = flow.end;
      ends_.push({flow.end, next.flow, next.life});
      continue;
    }
    ended_.push_back(flow.name);
    remove(next.flow);
  }
  return ended_;
}

void FairShares::remove(int flow) {
  const auto first = static_cast<std::ptrdiff_t>(first_use(flow));
  for (std::ptrdiff_t use = first; use < first + at(flow).hops; ++use) {
    const int number = links_of_[static_cast<std::size_t>(use)];
    Link& one = link(number);
    if (full(one)) touch_link(number);
    one.demand -= at(flow).limit;
    const int last = one.uses.back();
    const int index = use_at_[static_cast<std::size_t>(use)];
    one.uses[static_cast<std::size_t>(index)] = last;
    use_at_[static_cast<std::size_t>(last)] = index;
    one.uses.pop_back();
  }
  // It may have started in this very moment, without bytes to speak of.
  if (at(flow).mark == mark_) std::erase(touched_flows_, flow);
  ++at(flow).life;
  free_.push_back(flow);
}

void FairShares::touch_flow(int flow) {
  if (at(flow).mark == mark_) return;
  at(flow).mark = mark_;
  touched_flows_.push_back(flow);
}

void FairShares::touch_link(int number) {
  if (link(number).mark == mark_) return;
  link(number).mark = mark_;
  touched_links_.push_back(number);
}

void FairShares::spread() {
  for (std::size_t flow = 0, one = 0; flow < touched_flows_.size() || one < touched_links_.size();) {
    if (flow < touched_flows_.size()) {
      for (const int number : links_of(touched_flows_[flow]))
        if (full(link(number))) touch_link(number);
      ++flow;
    } else {
      for (const int use : link(touched_links_[one]).uses) touch_flow(use / longest_path_);
      ++one;
    }
  }
}

void FairShares::share_out() {
  for (const int number : touched_links_) {
    link(number).left = static_cast<double>(link(number).rate);
    link(number).open = static_cast<int>(link(number).uses.size());
  }
  open_.assign(touched_flows_.begin(), touched_flows_.end());
  for (const int flow : open_) at(flow).settled = false;
  while (!open_.empty()) {
    visits_ += static_cast<std::int64_t>(open_.size() + touched_links_.size());
    double share = never;
    for (const int number : touched_links_)
      if (link(number).open > 0) share = std::min(share, link(number).left / link(number).open);
    const double up_to = share * (1 + rounding);
    // Flows whose slowest link gives them no more than this; where there is none, those on the fullest links.
    bool limited = false;
    for (const int flow : open_) {
      if (static_cast<double>(at(flow).limit) > up_to) continue;
      limited = true;
      settle(flow, static_cast<double>(at(flow).limit));
    }
    if (!limited) {
      for (const int number : touched_links_) {
        const Link& one = link(number);
        if (one.open == 0 || one.left / one.open > up_to) continue;
        for (const int use : one.uses)
          if (!at(use / longest_path_).settled) settle(use / longest_path_, share);
      }
    }
    std::erase_if(open_, [&](int flow) { return at(flow).settled; });
  }
}

void FairShares::settle(int flow, double rate) {
  Flow& one = at(flow);
  one.settled = true;
  for (const int number : links_of(flow)) {
    if (link(number).mark != mark_) continue;
    link(number).left -= rate;
    --link(number).open;
  }
  if (rate == one.rate) return;
  one.left -= one.rate * (now_ - one.since);
  one.since = now_;
  one.rate = rate;
  one.end = now_ + (std::max(one.left, 0.0) / rate);
  if (one.end >= one.heralded) return;
  one.heralded = one.end;
  ends_.push({one.end, flow, one.life});
}

}  // namespace starling
