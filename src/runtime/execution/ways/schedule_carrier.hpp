#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "messages/interned.hpp"
#include "runtime/execution/operation.hpp"
#include "runtime/execution/size_exchange.hpp"
#include "runtime/execution/ways/carrier.hpp"

namespace starling {

/// Carries out calls with the schedules of a candidate of the repository.
class ScheduleCarrier final : public Carrier {
 public:
  /// `bound` outlives it.
  explicit ScheduleCarrier(const Bound& bound) : bound_(bound) {}

  /// At the first call the ranks agree whether all of them have the communicators and the memory. The communicators are
  /// those for calls with any root.
  Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) override;
  void release(Resources& resources) override;
  bool rest(Resources& resources) override;
  void resume() override { ready_ = needs_no_groups_ = true; }
  [[nodiscard]] bool rests() const override { return !working_; }
  void wake(const Call& call, const Facts& facts, Resources& resources) override { set_up(call, facts, resources); }

  /// Begins a call, as `carry_out` does, that goes on when it is advanced: of a candidate that learns no sizes.
  /// `workspace` is its own until it has ended; no other call begins before.
  Outcome begin(const Call& call, const Facts& facts, Resources& resources, Workspace& workspace);
  /// Does what can be done without waiting for other ranks. Returns whether the call has ended.
  bool advance() { return working_->operation.advance(); }
  /// An MPI error code, of a call that has ended.
  [[nodiscard]] int error() const { return working_->operation.error(); }

  /// Deletes its plans, which are made again when needed. Local.
  void drop_plans();
  /// Bytes of plans kept.
  [[nodiscard]] std::size_t kept_bytes() const;

 private:
  /// What calls need. There are many carriers, of which few are used at a time.
  struct Working {
    explicit Working(const Bound& bound) : plans(bound) {}
    Plans plans;
    Operation operation;  ///< reused by each blocking call
    LatestCall latest;
    std::uint64_t alike = 0;              ///< Facts::alike of that call
    std::unique_ptr<SizeExchange> sizes;  ///< before each call; null where there is none
  };

  void set_up(const Call& call, const Facts& facts, Resources& resources);
  bool make_ready(const Facts& facts, Resources& resources, bool has_memory, double& setup_s);
  [[nodiscard]] std::vector<RankSet> needed_groups(const Facts& facts, const Resources& resources) const;
  static bool has_room(std::span<const RankSet> groups, const ScheduleCarrier& holder, Resources& resources);
  bool join(std::span<const RankSet> groups, Resources& resources);
  bool join_segment(const Facts& facts, Resources& resources);
  static bool find_communicators(Plan& plan, Resources& resources);
  void start(Operation& operation, MPI_Op op, Resources& resources, bool has_memory);
  int move_blocks(Resources& resources);

  const Bound& bound_;
  std::unique_ptr<Working> working_;  ///< null while it rests
  std::vector<RankSet> groups_;       ///< joined
  Interned refused_;
  bool ready_ = false;
  bool needs_no_groups_ = false;  ///< nor does it on any other rank
  bool has_segment_ = false;
};

inline std::unique_ptr<Carrier> carrier(const Bound& schedule) {
  return std::make_unique<ScheduleCarrier>(schedule);
}

}  // namespace starling
