#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

#include "knowledge/bounded_contexts.hpp"
#include "knowledge/run_record.hpp"
#include "runtime/contexts/context.hpp"

namespace starling {

/// What happened on communicators, for the run record: one context record per call key.
class Happened {
 public:
  /// Adds `calls` calls of an operation that passed through, on a communicator of `ranks` ranks.
  void add(std::string_view operation, int ranks, std::int64_t calls);
  void add(const Context& context);
  /// Adds a context whose way was chosen by the program: others of its call key may have had other ways.
  void add_chosen(const Context& context);
  /// Adds a context that is no communicator's.
  void add(ContextRecord record) { contexts_.add(std::move(record)); }
  /// Returns a record with only the contexts that were added and the sums of those left out, and removes them.
  RunRecord take();

 private:
  BoundedContexts contexts_;
  BoundedContexts chosen_;
};

/// Contexts of communicators that were freed, until what happened there is added to the run's: that takes too long for
/// MPI_Comm_free, which may free many. The first call of another context takes longer still. It adds one of these, so
/// that there are never more contexts than there were at once before.
class Remains {
 public:
  /// `is_chosen`: as Happened::add_chosen.
  void take(std::unique_ptr<Context> context, bool is_chosen);
  /// Adds the context that was taken first, if there is any.
  void add_one_to(Happened& happened);
  /// Called once by each MPI_Comm_free: adds one if there are many.
  void reduce(Happened& happened);
  void add_all_to(Happened& happened);

 private:
  /// Where a program makes no more contexts and frees no more communicators, more than so many may stay until its end.
  static constexpr std::size_t many = 128;
  struct One {
    std::unique_ptr<Context> context;
    bool is_chosen;
  };
  std::deque<One> all_;
};

/// What is tuned besides the calls on communicators, and leaves its record itself.
class LeavesRecord {
 public:
  LeavesRecord(const LeavesRecord&) = delete;
  LeavesRecord& operator=(const LeavesRecord&) = delete;
  /// Adds what happened here, on one rank only.
  virtual void add_to(Happened& happened) const = 0;

 protected:
  LeavesRecord() = default;
  ~LeavesRecord() = default;
};

}  // namespace starling
