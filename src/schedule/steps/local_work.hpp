#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/layout.hpp"

namespace starling {

class Binder;
class LocalWorkRule;
class Memory;
class Placing;
class RanksAtWork;
struct FlatSchedule;

/// Work without other ranks. `combine` is MPI_Reduce_local: into = from (operator) into, with `from` the left operand.
struct Local {
  enum class Kind : std::uint8_t { copy, combine };
  Kind kind;
  Blocks from;
  Blocks into;
};

/// "copy", "combine".
std::string_view name_of(Local::Kind kind);

/// Local work, one after the other in the order given.
struct LocalWork {
  std::vector<Local> all;

  [[nodiscard]] bool empty() const { return all.empty(); }
  /// The same as a step of a whole of which this is a part. Copies of data onto itself vanish.
  [[nodiscard]] LocalWork placed(const Placing& where) const;

  /// The next `count` locals of a flat schedule.
  struct Flat {
    std::int32_t count;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into) const;

  using Rule = LocalWorkRule;
};

/// Local work of a program.
struct Work {
  Extent from;
  Extent into;
};

/// Makes a step of the program of each run of copies, and of combines. Work on blocks that turn out empty is left out.
void bind(const LocalWork::Flat& step, Binder& binder);

/// Work reads what was written, between blocks of the same sizes that do not overlap; `send` is never written.
class LocalWorkRule {
 public:
  explicit LocalWorkRule(RanksAtWork& all) : all_(all) {}
  /// Does it; throws Mistake.
  void perform(int rank, const LocalWork& step);

 private:
  void perform(const Local& local, Memory& memory);

  RanksAtWork& all_;
};

}  // namespace starling
