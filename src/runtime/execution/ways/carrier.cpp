#include "runtime/execution/ways/carrier.hpp"

#include <concepts>

#include "runtime/execution/ways/library_carrier.hpp"
#include "runtime/execution/ways/neighbor_carrier.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/execution/ways/selected_carrier.hpp"

namespace starling {
namespace {

template <class Kind>
concept HasCarrier = requires(const Kind& kind) {
  { carrier(kind) } -> std::same_as<std::unique_ptr<Carrier>>;
};

}  // namespace

std::unique_ptr<Carrier> carrier_for(const Way& way) {
  return std::visit(
      []<class Kind>(const Kind& kind) {
        static_assert(
            HasCarrier<Kind>,
            "src/runtime/execution/ways lacks the carrier of a kind of way, or carrier.cpp does not include it");
        return carrier(kind);
      },
      way.kind());
}

}  // namespace starling
