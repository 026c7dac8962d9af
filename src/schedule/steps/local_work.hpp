#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/layout.hpp"

namespace starling {

class LocalWorkRule;
class Memory;
class Placing;
class RankSet;
class RanksAtWork;
struct Binder;
struct Drawing;
struct FlatSchedule;
struct Step;

/// Work without other ranks. `combine` is MPI_Reduce_local: into = from (operator) into, with `from` the left operand.
struct Local {
  enum class Kind : std::uint8_t { copy, combine };
  Kind kind;
  Blocks from;
  Blocks into;
  bool operator==(const Local&) const = default;
};

/// "copy", "combine".
std::string_view name_of(Local::Kind kind);

/// Local work of a program.
struct Work {
  Extent from;
  Extent into;
};

/// Local work, one after the other in the order given.
struct LocalWork {
  static constexpr std::string_view name = "local_work";

  std::vector<Local> all;

  bool operator==(const LocalWork&) const = default;
  [[nodiscard]] bool empty() const { return all.empty(); }
  /// Copies of data onto itself vanish.
  [[nodiscard]] LocalWork placed(const Placing& where) const;
  [[nodiscard]] Drawing drawn() const;

  struct InSchedule {
    std::vector<Local> locals;
    static auto arrays(auto& of) { return std::tie(of.locals); }
  };
  /// `count` locals.
  struct Flat {
    std::int32_t first;
    std::int32_t count;
    /// Makes a step of the program of each run of copies, and of combines. Work on blocks that turn out empty is left
    /// out.
    void bind(Binder& binder) const;
  };
  [[nodiscard]] Flat flattened(FlatSchedule& into) const;

  using Form = Local::Kind;
  struct InProgram {
    std::vector<Work> works;
    static auto arrays(auto& of) { return std::tie(of.works); }
    /// Room for all work of the schedule: an array that grows has up to three times as much for a moment, and a rank
    /// that copies for thousands of others has megabytes of it.
    void make_room(const InSchedule& schedule) {
      works.clear();
      works.reserve(schedule.locals.size());
    }
    std::int32_t append(const InProgram& other, const Step& step, const RankSet& ranks);
  };

  using Rule = LocalWorkRule;
};

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
