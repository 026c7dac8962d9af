#pragma once

#include <mutex>
#include <vector>

#include "runtime/execution/ways/schedule_carrier.hpp"

namespace starling::patterns {

/// The schedules in flight of nonblocking requests. Each rank may wait for its requests in an order of its own, so who
/// waits for one advances all, as MPI does with its own.
class InFlight {
 public:
  void add(ScheduleCarrier* schedule) {
    const std::scoped_lock lock(guard_);
    all_.push_back({schedule, false});
  }
  /// Advances all; whether `schedule`, which need not be one of them, has ended. It is none of them then.
  bool advance(const ScheduleCarrier* schedule) {
    const std::scoped_lock lock(guard_);
    for (One& one : all_) one.ended = one.ended || one.schedule->advance();
    return std::erase_if(all_, [&](const One& one) { return one.ended && one.schedule == schedule; }) > 0;
  }
  void remove(const ScheduleCarrier* schedule) {
    const std::scoped_lock lock(guard_);
    std::erase_if(all_, [&](const One& one) { return one.schedule == schedule; });
  }
  [[nodiscard]] bool are_none() {
    const std::scoped_lock lock(guard_);
    return all_.empty();
  }

 private:
  struct One {
    ScheduleCarrier* schedule;
    bool ended;
  };
  std::mutex guard_;
  std::vector<One> all_;
};

/// The process's only one.
InFlight& in_flight();

}  // namespace starling::patterns
