#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"
#include "runtime/context.hpp"

namespace starling {

/// What happened on communicators, for the run record: one context a call key.
class Happened {
 public:
  /// Adds calls of an operation that passed through, on a communicator of so many ranks.
  void add(std::string_view operation, int ranks, std::int64_t calls);
  void add(const Context& context);
  /// Takes a context that has no communicator any more. Its record takes far longer to make than MPI_Comm_free does, so
  /// it is made when `most_kept` wait for theirs.
  void keep(std::unique_ptr<Context> context);
  /// All that was added; nothing is left here.
  std::vector<ContextRecord> take();

 private:
  static constexpr std::size_t most_kept = 256;

  void make_records();

  std::vector<std::unique_ptr<Context>> kept_;
  FoldedContexts contexts_;
};

}  // namespace starling
