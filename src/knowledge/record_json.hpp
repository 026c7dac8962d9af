#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "knowledge/run_record.hpp"

/// The run record as JSON text (docs/run-record.md, python/starling/schemas/run-record-1.json).
namespace starling {

enum class RecordForm : std::uint8_t {
  for_people,  ///< on indented lines, small objects on one
  compact,     ///< on one line, for messages between ranks and for programs
};

/// A number that is not finite is written as null, and read as nothing or NaN.
std::string to_json(const RunRecord& record, RecordForm form = RecordForm::for_people);

/// The bytes of a context in a record for people; in a compact one it takes fewer.
std::size_t json_size(const ContextRecord& context);

/// The parts of a record that a reader wants. The rest costs less time, and no memory.
struct Wanted {
  /// How many bytes may be kept of a text, without the allocator's overhead.
  static constexpr std::size_t room_of_record = std::size_t{44} << 20;

  /// Whether the contexts of such a run are wanted; null: of all runs.
  std::function<bool(const RunDescription&)> run = nullptr;
  /// Whether such a candidate is wanted. Of candidates only what later runs learn from is then read, and no decisions.
  /// Null: all of all candidates, with decisions.
  bool (*candidate)(const CandidateRecord&) = nullptr;
  std::size_t room = room_of_record;
};

/// Reads the output of `to_json`. Throws std::runtime_error with a sentence about the error in the text. Takes at most
/// 48 MiB besides the text, with the default room. A run that is not wanted is returned without contexts; its text is
/// then not checked to the end.
RunRecord run_record_from_json(std::string_view text, const Wanted& wanted = {});

}  // namespace starling
