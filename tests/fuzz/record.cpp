// A run record: an accepted one is unchanged after writing and reading it, and later runs learn from all of its
// candidates that were tried.

#include <stdexcept>
#include <string>
#include <vector>

#include "demands.hpp"
#include "knowledge/record_json.hpp"

namespace {

bool is_tried(const starling::CandidateRecord& candidate) {
  return candidate.samples > 0;
}

std::vector<std::string> tried_in(const starling::RunRecord& record) {
  std::vector<std::string> names;
  for (const starling::ContextRecord& context : record.contexts)
    for (const starling::CandidateRecord& one : context.candidates)
      if (is_tried(one)) names.push_back(one.name);
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starling;
  return fuzzing::read_bounded(data, size, [](const std::string& text) {
    const Wanted to_learn_from{.run = nullptr, .candidate = is_tried};
    RunRecord record;
    try {
      record = run_record_from_json(text);
    } catch (const std::runtime_error& refusal) {
      fuzzing::expect_line(refusal.what());
      try {
        static_cast<void>(run_record_from_json(text, to_learn_from));
      } catch (const std::runtime_error& other) {
        fuzzing::expect_line(other.what());
      }
      return;
    }
    fuzzing::expect(tried_in(run_record_from_json(text, to_learn_from)) == tried_in(record),
                    "later runs learn from all");
    for (const RecordForm form : {RecordForm::for_people, RecordForm::compact}) {
      const std::string written = to_json(record, form);
      fuzzing::expect(to_json(run_record_from_json(written), form) == written, "a record that is written is read");
    }
  });
}
