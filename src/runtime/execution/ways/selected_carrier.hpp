#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/execution/library_selection.hpp"
#include "runtime/execution/staging.hpp"
#include "runtime/execution/ways/carrier.hpp"

namespace starling {

/// The MPI library carries out the call with the algorithm that is asked for, on a private communicator of the same
/// ranks: the application's communicator, its error handler and its choice of algorithms stay as they are.
class SelectedCarrier final : public Carrier {
 public:
  explicit SelectedCarrier(const Selected& way) : way_(way) {}

  /// At the first call the ranks agree whether all of them have the communicator.
  Outcome carry_out(const Call& call, const Facts& facts, Resources& resources) override;
  void release(Resources& resources) override;

 private:
  bool make_ready(Resources& resources, double& setup_s);
  void leave(Resources& resources);
  [[nodiscard]] int number() const;
  int select_and_call(const Call& call);
  int call_staged(const Call& call, const Facts& facts, Resources& resources);

  Selected way_;
  std::optional<MPI_Comm> comm_;
  std::optional<Selection> selection_;  ///< for each call; nothing where the communicator was made under it
  Staging staging_;
  LatestCall latest_;
  std::string refused_;
};

inline std::unique_ptr<Carrier> carrier(const Selected& selected) {
  return std::make_unique<SelectedCarrier>(selected);
}

}  // namespace starling
