#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "knowledge/run_record.hpp"

/// The run record as JSON text (docs/run-record.md, python/starling/schemas/run-record-1.json).
namespace starling {

enum class RecordForm : std::uint8_t {
  for_people,  ///< on indented lines, what is small on one
  compact,     ///< on one line, to travel between ranks and to be read by programs
};

/// A number that is not finite becomes null, and is read as nothing, or NaN.
std::string to_json(const RunRecord& record, RecordForm form = RecordForm::for_people);

/// How many bytes a context takes in a record for people; in a compact one it takes fewer.
std::size_t json_size(const ContextRecord& context);

/// What a reader wants of a record. The rest costs it less time, and no memory.
struct Wanted {
  /// Bytes that may be kept of a text; what the allocator adds comes on top.
  static constexpr std::size_t room_of_record = std::size_t{44} << 20;

  /// Whether it wants the contexts of such a run; null: of all.
  std::function<bool(const RunDescription&)> run = nullptr;
  /// Whether it wants such a candidate, and then no decisions; null: all of them.
  bool (*candidate)(const CandidateRecord&) = nullptr;
  std::size_t room = room_of_record;
};

/// Reads what `to_json` writes. Throws std::runtime_error with a sentence that says what is wrong with the text. Takes
/// at most 48 MiB besides the text, where the room is that of a record. A run that is not wanted comes without
/// contexts, and need not be whole behind what tells that.
RunRecord run_record_from_json(std::string_view text, const Wanted& wanted = {});

}  // namespace starling
