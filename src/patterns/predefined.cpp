#include "patterns/predefined.hpp"

#include <array>
#include <string_view>

#include "schedule/collective.hpp"

namespace starling::patterns {
namespace {

constexpr auto halo_sets = std::to_array<std::string_view>({"neighborhood", "shift_ltor", "shift_rtol"});
constexpr int halo_count = static_cast<int>(halo_sets.size());

/// A set that cannot be carried out.
class Absent final : public FunctionSet {
 public:
  using FunctionSet::FunctionSet;
  [[nodiscard]] bool is_predefined() const override { return true; }
  [[nodiscard]] std::unique_ptr<Implementations> on(const Data& /*data*/) const override {
    throw Fault(Error::function_set, "the function set " + name() + " cannot be carried out here");
  }
};

}  // namespace

int predefined_count() {
  return halo_count + (2 * collective_count);
}

std::string name_of_predefined(int number) {
  if (number < halo_count) return std::string(halo_sets.at(static_cast<std::size_t>(number)));
  const int of_collective = number - halo_count;
  const auto name = std::string(name_of(static_cast<Collective>(of_collective % collective_count)));
  return of_collective < collective_count ? name : "i" + name;
}

std::shared_ptr<FunctionSet> predefined(int number) {
  return std::make_shared<Absent>(name_of_predefined(number));
}

}  // namespace starling::patterns
