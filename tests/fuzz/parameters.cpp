// A file of the cost model's parameters.

#include <stdexcept>

#include "cost/parameters_file.hpp"
#include "demands.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    CostParameters found;
    try {
      found = parameters_from_json(text);
    } catch (const std::runtime_error& refusal) {
      return fuzzing::expect_line(refusal.what());
    }
    fuzzing::expect(as_json(parameters_from_json(as_json(found))) == as_json(found), "what is written is read");
  });
}
