#include "cost/stand_in.hpp"

#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

namespace starling {
namespace {

constexpr std::int64_t kibibyte = 1024;

/// Names of algorithms, the most usual first: the others are for where that can't serve.
std::vector<std::string_view> usual(Collective collective, int ranks, std::int64_t bytes) {
  constexpr int few_ranks = 8;
  const std::int64_t all = ranks * bytes;
  switch (collective) {
    case Collective::bcast:
      if (bytes < 12 * kibibyte || ranks < few_ranks) return {"binomial"};
      return {"scatter_allgather"};
    case Collective::reduce:
      if (bytes <= 2 * kibibyte) return {"binomial"};
      return {"rabenseifner", "binomial"};
    case Collective::allreduce:
      if (bytes <= 2 * kibibyte) return {"recursive_doubling"};
      return {"rabenseifner", "recursive_doubling"};
    case Collective::gather:
    case Collective::scatter: return {"binomial"};
    case Collective::allgather:
      if (all < 80 * kibibyte) return {"recursive_doubling", "bruck"};
      if (all < 512 * kibibyte) return {"recursive_doubling", "ring"};
      return {"ring"};
    case Collective::alltoall:
      if (bytes <= 256 && ranks >= few_ranks) return {"bruck"};
      if (bytes <= 32 * kibibyte) return {"simple"};
      return {"pair", "ring", "simple"};
    case Collective::reduce_scatter_block:
      if (all < 512 * kibibyte) return {"recursive_halving", "pairwise"};
      return {"pairwise"};
    case Collective::scan:
    case Collective::exscan: return {"recursive_doubling"};
    default: return {};
  }
}

/// A call that some members make.
struct Part {
  Collective collective;
  int members;
  int root;
  std::int64_t bytes;
  bool operator<(const Part& other) const {
    return std::tie(collective, members, root, bytes) <
           std::tie(other.collective, other.members, other.root, other.bytes);
  }
};

/// What each member does in the stand-ins of parts, each made once: a mesh has many equal rows.
class StandIns {
 public:
  const Program& program(const Part& part, int member) {
    std::map<int, Program>& made = made_[part];
    if (const auto found = made.find(member); found != made.end()) return found->second;
    const Bound bound = stand_in(part.collective, part.members, part.bytes);
    const Situation situation{part.collective, part.members, part.bytes, part.bytes};
    const int blocks = bound.blocks(situation);
    const std::int64_t total = divides_a_vector(part.collective) ? part.bytes : part.members * part.bytes;
    const Layout layout(blocks, total, parts_of_a_block(part.collective, part.members, blocks));
    const Schedule schedule = bound.schedule(bound.team(situation, member, part.root));
    return made.emplace(member, bind(schedule, layout, layout, part.collective, member)).first->second;
  }

 private:
  std::map<Part, std::map<int, Program>> made_;
};

/// Finds the part that a member's n-th native part on a group is.
class Parts {
 public:
  const Part& of(const NativePart& mine, int which) {
    std::vector<Part>& here = by_group_[mine.group];
    if (static_cast<std::size_t>(which) == here.size()) {
      const int members = mine.group.size();
      here.push_back({mine.collective, members, mine.root,
                      bytes_of_part(mine.collective, members, mine.from.count, mine.into.count)});
    }
    return here[static_cast<std::size_t>(which)];
  }

 private:
  std::unordered_map<RankSet, std::vector<Part>, RankSet::Hash> by_group_;
};

bool has_stand_in(const NativePart& part) {
  return part.collective != Collective::barrier;
}

}  // namespace

Bound stand_in(Collective collective, int ranks, std::int64_t bytes) {
  const Situation situation{collective, ranks, bytes, bytes};
  for (const std::string_view name : usual(collective, ranks, bytes))
    if (auto bound = candidate_named(collective, name); bound && bound->refusal(situation).empty()) return *bound;
  throw std::invalid_argument("no algorithm stands for the MPI library's " + std::string(name_of(collective)) + " on " +
                              std::to_string(ranks) + " ranks");
}

std::vector<Program> with_stand_ins(std::span<const Program> programs) {
  StandIns stand_ins;
  Parts parts;
  std::vector<Program> all;
  all.reserve(programs.size());
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    const Program& program = programs[rank];
    Program& joined = all.emplace_back();
    std::unordered_map<RankSet, int, RankSet::Hash> met;
    for (const Step& step : program.steps) {
      const NativePart* const part =
          step.is<SubCollective>() ? &program.natives[static_cast<std::size_t>(step.first)] : nullptr;
      if (part == nullptr || !has_stand_in(*part)) {
        joined.append(program, step, RankSet::everyone());
        continue;
      }
      const int member = part->group.index_of(static_cast<int>(rank));
      const Program& in_its_place = stand_ins.program(parts.of(*part, met[part->group]++), member);
      for (const Step& one : in_its_place.steps) joined.append(in_its_place, one, part->group);
    }
  }
  return all;
}

}  // namespace starling
