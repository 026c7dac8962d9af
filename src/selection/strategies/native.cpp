// native: leaves every call to the MPI library.

#include <cstdint>
#include <limits>

#include "selection/strategy.hpp"

namespace starling::strategies {
namespace {

class Native final : public Strategy {
 public:
  std::span<const double> observe(double /*seconds*/, double /*work*/) override { return {}; }
  [[nodiscard]] std::int64_t calls_without_time() const override { return std::numeric_limits<std::int64_t>::max(); }
  void verdict(std::span<const double> /*agreed*/) override {}
  [[nodiscard]] std::string_view stage() const override { return "native"; }
  [[nodiscard]] bool exploring() const override { return false; }
};

}  // namespace

StrategyKind native() {
  return {
      .name = "native",
      .says = "leaves every call to the MPI library, and measures it",
      .source = "the MPI library",
      .stages = {{"native"}},
      .make = [](const Brief&) -> std::unique_ptr<Strategy> { return std::make_unique<Native>(); },
  };
}

}  // namespace starling::strategies
