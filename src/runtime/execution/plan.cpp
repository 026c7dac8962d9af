#include "runtime/execution/plan.hpp"

#include <algorithm>
#include <utility>

#include "runtime/execution/executor.hpp"

namespace starling {
namespace {

/// The most bytes of plans kept for one candidate; with more (many roots, many ranks) plans are dropped and built
/// again.
constexpr std::size_t most_bytes_a_plan = std::size_t{8} << 20U;

void bind_to(const FlatSchedule& schedule, const Layout& send, const Layout& recv,
             std::span<const std::int64_t> learned, Plan& plan) {
  starling::bind(schedule, send, recv, plan.team.collective, plan.team.rank, plan.program, learned);
  plan.send = send;
  plan.recv = recv;
  plan.learned.assign(learned.begin(), learned.end());
  plan.most_requests = 1;
  for (const Step& step : plan.program.steps)
    plan.most_requests = std::max(plan.most_requests, requests_in(plan.program, step));
}

bool is_bound_to(const Plan& plan, const Layout& send, const Layout& recv, std::span<const std::int64_t> learned) {
  return plan.recv == recv && plan.send == send &&
         std::equal(plan.learned.begin(), plan.learned.end(), learned.begin(), learned.end());
}

}  // namespace

std::size_t Plans::bytes() const {
  std::size_t bytes = 0;
  for (const auto& one : plans_) {
    bytes += one->program.bytes() + one->send.bytes() + one->recv.bytes() + bytes_of(one->learned);
    if (one->schedule) bytes += one->schedule->bytes();
  }
  return bytes;
}

void Plans::drop() {
  std::erase_if(plans_, [](const auto& one) { return one->operations == 0; });
  latest_ = nullptr;
}

/// The plan of `team` with these layouts, else one of `team` that can be bound to them; null if there is none.
Plan* Plans::find(const Team& team, const Layout& send, const Layout& recv,
                  std::span<const std::int64_t> learned) const {
  Plan* free = nullptr;
  for (const auto& one : plans_) {
    if (one->team != team) continue;
    if (is_bound_to(*one, send, recv, learned)) return one.get();
    if (one->operations == 0) free = one.get();
  }
  return free;
}

Plan& Plans::plan(const Team& team, const Layout& send, const Layout& recv, bool sizes_change, bool& built,
                  std::span<const std::int64_t> learned) {
  built = false;
  if (latest_ == nullptr || latest_->team != team || latest_->operations > 0) latest_ = find(team, send, recv, learned);
  if (latest_ != nullptr && is_bound_to(*latest_, send, recv, learned)) return *latest_;
  if (latest_ != nullptr && latest_->schedule) {
    bind_to(*latest_->schedule, send, recv, learned, *latest_);
    return *latest_;
  }
  const bool again = latest_ != nullptr;
  if (!again) {
    if (bytes() > most_bytes_a_plan) drop();
    latest_ = plans_.emplace_back(std::make_unique<Plan>(Plan{team, send, recv, {}, {}, {}, 0, {}})).get();
  }
  FlatSchedule schedule(bound_.schedule(team));
  bind_to(schedule, send, recv, learned, *latest_);
  // Kept if another layout may need it: one already did, or sizes change.
  if (again || sizes_change) latest_->schedule = std::make_unique<FlatSchedule>(std::move(schedule));
  built = true;
  return *latest_;
}

}  // namespace starling
