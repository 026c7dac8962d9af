#include "schedule/native_part.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace starling {
namespace {

using Values = std::vector<Symbol>;

/// How many blocks a member gives and gets.
struct Shape {
  int from = 0;
  int into = 0;
};

Shape shape_of(const SubCollective& sub, bool is_root) {
  const int one = sub.scale;
  const int all = sub.scale * sub.group.size;
  switch (sub.collective) {
    case Collective::allgather: return {one, all};
    case Collective::alltoall: return {all, all};
    case Collective::gather: return {one, is_root ? all : 0};
    case Collective::scatter: return {is_root ? all : 0, one};
    case Collective::reduce_scatter_block: return {all, one};
    case Collective::allreduce: return {sub.from.count, sub.from.count};
    case Collective::reduce: return {sub.from.count, is_root ? sub.from.count : 0};
    case Collective::bcast: return {0, sub.into.count};
    case Collective::barrier: return {};
    default:
      throw Mistake{"uses " + std::string(name_of(sub.collective)) + " as a sub-collective, which is not provided for"};
  }
}

/// MPI's in-place cases: the data lies already where the collective would put it.
bool lies_in_place(const Member& member, int index) {
  const SubCollective& sub = *member.sub;
  if (sub.collective == Collective::allreduce) return member.memory->same(sub.from, sub.into);
  if (sub.collective != Collective::allgather) return false;
  return member.memory->same(sub.from, at(sub.into.buffer, sub.into.first + (index * sub.scale), sub.scale));
}

/// Whole vectors, as in allreduce: every member must have the same, in number and size of blocks.
void must_have_equal_vectors(std::span<const Member> members) {
  const auto of = [](const Member& member, Blocks blocks) {
    const auto sizes = member.memory->sizes(blocks);
    return std::vector<int>(sizes.begin(), sizes.end());
  };
  const SubCollective& first = *members.front().sub;
  const bool broadcast = first.collective == Collective::bcast;
  const std::vector<int> wanted = of(members.front(), broadcast ? first.into : first.from);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SubCollective& sub = *members[i].sub;
    const bool gets = sub.collective != Collective::reduce || static_cast<int>(i) == sub.root;
    if ((!broadcast && of(members[i], sub.from) != wanted) || (gets && of(members[i], sub.into) != wanted))
      throw Mistake{std::string(name_of(sub.collective)) + " of vectors that differ in size between members"};
  }
}

/// Members' vectors combined from the first to the last.
Values combined(const std::vector<Values>& given, Symbols& symbols) {
  Values sum = given.front();
  for (std::size_t member = 1; member < given.size(); ++member)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = symbols.combine(sum[i], given[member][i]);
  return sum;
}

Values joined(const std::vector<Values>& given) {
  Values all;
  for (const Values& one : given) all.insert(all.end(), one.begin(), one.end());
  return all;
}

/// The part of `values` that belongs to member `index`.
Values share(const Values& values, int index, int scale) {
  const auto first = values.begin() + (static_cast<std::ptrdiff_t>(index) * scale);
  return {first, first + scale};
}

}  // namespace

void must_be_possible(const Member& member, int index) {
  const SubCollective& sub = *member.sub;
  const std::string name(name_of(sub.collective));
  if (sub.root < 0 || sub.root >= sub.group.size)
    throw Mistake{"has root " + std::to_string(sub.root) + " in a group of " + std::to_string(sub.group.size)};
  const Shape shape = shape_of(sub, index == sub.root);
  if (shape.from > 0 || shape.into > 0) {
    if (shape.from > 0 && sub.from.count != shape.from)
      throw Mistake{name + " from " + describe(sub.from) + ", which should be " + std::to_string(shape.from)};
    if (shape.into > 0 && sub.into.count != shape.into)
      throw Mistake{name + " into " + describe(sub.into) + ", which should be " + std::to_string(shape.into)};
  }
  if (shape.from > 0) member.memory->must_be_written(sub.from);
  if (shape.into > 0) Memory::must_be_writable(sub.into);
  if (shape.from > 0 && shape.into > 0 && member.memory->overlap(sub.from, sub.into) && !lies_in_place(member, index))
    throw Mistake{name + " from " + describe(sub.from) + " into " + describe(sub.into) + ", which overlap"};
}

void carry_out(std::span<const Member> members, bool uniform, Symbols& symbols) {
  const SubCollective& common = *members.front().sub;
  const Collective collective = common.collective;
  if (collective == Collective::barrier) return;
  if (divides_a_vector(collective)) {
    must_have_equal_vectors(members);
  } else if (!uniform) {
    throw Mistake{std::string(name_of(collective)) + " of a group, whose members' blocks may differ in size"};
  }

  const auto root = static_cast<std::size_t>(common.root);
  std::vector<Values> given;
  for (const Member& member : members) {
    const auto values = member.memory->values(collective == Collective::bcast ? member.sub->into : member.sub->from);
    given.emplace_back(values.begin(), values.end());
  }
  if (collective == Collective::bcast) members[root].memory->must_be_written(members[root].sub->into);

  Values result;
  if (reduces(collective)) result = combined(given, symbols);
  if (collective == Collective::allgather || collective == Collective::gather) result = joined(given);
  if (collective == Collective::scatter || collective == Collective::bcast) result = given[root];

  for (std::size_t i = 0; i < members.size(); ++i) {
    const int index = static_cast<int>(i);
    const bool only_root = collective == Collective::gather || collective == Collective::reduce;
    if (only_root && i != root) continue;
    Values gets = result;
    if (collective == Collective::scatter || collective == Collective::reduce_scatter_block)
      gets = share(result, index, common.scale);
    if (collective == Collective::alltoall) {
      for (const Values& one : given) {
        const Values mine = share(one, index, common.scale);
        gets.insert(gets.end(), mine.begin(), mine.end());
      }
    }
    members[i].memory->write(members[i].sub->into, gets);
  }
}

}  // namespace starling
