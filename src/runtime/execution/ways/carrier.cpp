#include "runtime/execution/ways/carrier.hpp"

#include "runtime/execution/ways/library_carrier.hpp"
#include "runtime/execution/ways/neighbor_carrier.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/execution/ways/selected_carrier.hpp"

namespace starling {
namespace {

std::unique_ptr<Carrier> carrier(const Library& /*library*/) {
  return std::make_unique<LibraryCarrier>();
}

std::unique_ptr<Carrier> carrier(const Selected& selected) {
  return std::make_unique<SelectedCarrier>(selected);
}

std::unique_ptr<Carrier> carrier(const Bound& schedule) {
  return std::make_unique<ScheduleCarrier>(schedule);
}

std::unique_ptr<Carrier> carrier(const NeighborExchange& exchange) {
  return std::make_unique<NeighborCarrier>(exchange);
}

}  // namespace

std::unique_ptr<Carrier> carrier_for(const Way& way) {
  return std::visit([](const auto& kind) { return carrier(kind); }, way.kind());
}

}  // namespace starling
