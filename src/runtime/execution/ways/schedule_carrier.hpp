#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/execution/operation.hpp"
#include "runtime/execution/ways/carrier.hpp"

namespace starling {

/// Carries out calls by the schedules of a candidate of the repository.
class ScheduleCarrier final : public Carrier {
 public:
  explicit ScheduleCarrier(const Bound& bound) : bound_(bound), plans_(bound) {}

  /// At its first call all ranks make sure together that each of them can: that it has communicators and memory.
  Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) override;
  void release(Resources& resources) override;

  /// Forgets its plans, which are made again when they are needed; on this rank alone.
  void drop_plans();
  /// Bytes of plans kept.
  [[nodiscard]] std::size_t kept_bytes() const { return plans_.bytes(); }

 private:
  Plan& plan_for(const Call& call, const Facts& facts, Resources& resources);
  bool make_ready(const Plan& plan, Resources& resources, bool has_memory);
  bool join_groups(Resources& resources);

  Bound bound_;
  Plans plans_;
  Operation operation_;  ///< of blocking calls, one after the other
  LatestCall latest_;
  bool ready_ = false;
  std::string refused_;
  std::vector<RankSet> groups_;  ///< joined
};

}  // namespace starling
