// What a history has of a measured network.

#include <stdexcept>

#include "demands.hpp"
#include "knowledge/kept_network.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    const ProbeSubject subject{"node#", "Open MPI", "4.1.4", 2, true};
    MeasuredNetwork found;
    try {
      found = kept_network_from_json(text, subject);
    } catch (const std::runtime_error& refusal) {
      return fuzzing::expect_line(refusal.what());
    }
    const std::string written = as_json(found, subject);
    fuzzing::expect(as_json(kept_network_from_json(written, subject), subject) == written, "what is written is read");
  });
}
