// A run record: an accepted one is unchanged after writing and reading it.

#include <stdexcept>

#include "demands.hpp"
#include "knowledge/record_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    RunRecord record;
    try {
      record = run_record_from_json(text);
    } catch (const std::runtime_error& refusal) {
      return fuzzing::expect_line(refusal.what());
    }
    for (const RecordForm form : {RecordForm::for_people, RecordForm::compact}) {
      const std::string written = to_json(record, form);
      fuzzing::expect(to_json(run_record_from_json(written), form) == written, "a record that is written is read");
    }
  });
}
