#include "schedule/steps/native_part.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "schedule/flat_schedule.hpp"
#include "schedule/placement.hpp"
#include "schedule/ranks_at_work.hpp"
#include "schedule/steps/binder.hpp"
#include "schedule/steps/drawing.hpp"

namespace starling {
namespace {

using Values = std::vector<Symbol>;

/// One rank in a sub-collective that all members have come to.
struct Member {
  Memory* memory;
  const SubCollective* sub;
};

/// How many blocks a member gives and gets.
struct PartShape {
  int from = 0;
  int into = 0;
};

/// The blocks of member `index` among those of all members.
Blocks share_of(const SubCollective& sub, Blocks all, int index) {
  const bool is_last = index == sub.group.size() - 1;
  return at(all.buffer, all.first + (index * sub.scale), is_last ? sub.scale - sub.short_by : sub.scale);
}

PartShape shape_of(const SubCollective& sub, int index) {
  const bool is_root = index == sub.root;
  const int one = share_of(sub, nothing(), index).count;
  const int all = (sub.scale * sub.group.size()) - sub.short_by;
  switch (sub.collective) {
    case Collective::allgather: return {one, all};
    case Collective::alltoall: return {all, all};
    case Collective::gather: return {one, is_root ? all : 0};
    case Collective::scatter: return {is_root ? all : 0, one};
    case Collective::reduce_scatter_block: return {all, one};
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return {sub.from.count, sub.from.count};
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
  const bool is_root = index == sub.root;
  switch (sub.collective) {
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan: return member.memory->same(sub.from, sub.into);
    case Collective::reduce: return is_root && member.memory->same(sub.from, sub.into);
    case Collective::allgather: return member.memory->same(sub.from, share_of(sub, sub.into, index));
    case Collective::gather: return is_root && member.memory->same(sub.from, share_of(sub, sub.into, index));
    case Collective::scatter: return is_root && member.memory->same(sub.into, share_of(sub, sub.from, index));
    default: return false;
  }
}

std::vector<int> sizes_of(const Member& member, Blocks blocks) {
  const auto sizes = member.memory->sizes(blocks);
  return {sizes.begin(), sizes.end()};
}

/// Whole vectors, as in allreduce: every member must have the same, in number and size of blocks.
void must_have_equal_vectors(std::span<const Member> members) {
  const SubCollective& first = *members.front().sub;
  const bool broadcast = first.collective == Collective::bcast;
  const std::vector<int> wanted = sizes_of(members.front(), broadcast ? first.into : first.from);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const SubCollective& sub = *members[i].sub;
    const bool gets = sub.collective != Collective::reduce || static_cast<int>(i) == sub.root;
    if ((!broadcast && sizes_of(members[i], sub.from) != wanted) || (gets && sizes_of(members[i], sub.into) != wanted))
      throw Mistake{std::string(name_of(sub.collective)) + " of vectors that differ in size between members"};
  }
}

/// For members whose blocks differ in size: what one member gives to another must be as large as what that one expects.
void must_have_equal_shares(std::span<const Member> members) {
  const SubCollective& first = *members.front().sub;
  const bool one_has_all = first.collective == Collective::gather || first.collective == Collective::scatter;
  const bool gives_all =
      first.collective == Collective::scatter || first.collective == Collective::reduce_scatter_block;
  for (std::size_t whole = 0; whole < members.size(); ++whole) {
    if (one_has_all && static_cast<int>(whole) != first.root) continue;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const SubCollective& has_all = *members[whole].sub;
      const Blocks share = share_of(has_all, gives_all ? has_all.from : has_all.into, static_cast<int>(i));
      const SubCollective& other = *members[i].sub;
      const Blocks its_own = first.collective == Collective::alltoall
                                 ? share_of(other, other.from, static_cast<int>(whole))
                                 : (gives_all ? other.into : other.from);
      if (sizes_of(members[whole], share) != sizes_of(members[i], its_own))
        throw Mistake{std::string(name_of(first.collective)) + " of a group, in which block " + std::to_string(i) +
                      " has another size at its member than among all of them"};
    }
  }
}

/// Members' vectors combined from the first to the last, in an order that only the MPI library knows.
Values combined(Collective by, const std::vector<Values>& given, Symbols& symbols) {
  Values sum = given.front();
  for (std::size_t member = 1; member < given.size(); ++member)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = symbols.combine(sum[i], given[member][i]);
  for (Symbol& one : sum) one = symbols.computed(one, by);
  return sum;
}

/// Those of the first `members`, combined as `by` combines them; of none what was never written.
Values combined_before(Collective by, const std::vector<Values>& given, std::size_t members, Symbols& symbols) {
  if (members == 0) return Values(given.front().size());
  return combined(by, {given.begin(), given.begin() + static_cast<std::ptrdiff_t>(members)}, symbols);
}

Values joined(const std::vector<Values>& given) {
  Values all;
  for (const Values& one : given) all.insert(all.end(), one.begin(), one.end());
  return all;
}

/// The part of all members' `values` that belongs to member `index`.
Values share(const SubCollective& sub, const Values& values, int index) {
  const Blocks mine = share_of(sub, nothing(), index);
  const auto first = values.begin() + mine.first;
  return {first, first + mine.count};
}

/// Throws Mistake where the MPI library could not do what the member with index `index` of the group asks for.
void must_be_possible(const Member& member, int index) {
  const SubCollective& sub = *member.sub;
  const std::string name(name_of(sub.collective));
  if (sub.root < 0 || sub.root >= sub.group.size())
    throw Mistake{"has root " + std::to_string(sub.root) + " in a group of " + std::to_string(sub.group.size())};
  if (sub.short_by < 0 || sub.short_by >= sub.scale)
    throw Mistake{"takes " + std::to_string(sub.short_by) + " of " + std::to_string(sub.scale) +
                  " blocks from the last member"};
  const PartShape shape = shape_of(sub, index);
  if (shape.from > 0 || shape.into > 0) {
    if (shape.from > 0 && sub.from.count != shape.from)
      throw Mistake{name + " from " + describe(sub.from) + ", which should be " + std::to_string(shape.from)};
    if (shape.into > 0 && sub.into.count != shape.into)
      throw Mistake{name + " into " + describe(sub.into) + ", which should be " + std::to_string(shape.into)};
  }
  if (shape.from > 0) member.memory->must_be_written(sub.from);
  const bool in_place = shape.from > 0 && shape.into > 0 && lies_in_place(member, index);
  if (shape.into > 0 && !(in_place && sub.collective == Collective::scatter)) Memory::must_be_writable(sub.into);
  if (shape.from > 0 && shape.into > 0 && !in_place && member.memory->overlap(sub.from, sub.into))
    throw Mistake{name + " from " + describe(sub.from) + " into " + describe(sub.into) + ", which overlap"};
}

/// What a sub-collective does to the buffers of its members, given in the order of their group. Throws Mistake where
/// the MPI library could not do it.
void carry_out(std::span<const Member> members, const RanksAtWork& all, Symbols& symbols) {
  const SubCollective& common = *members.front().sub;
  const Collective collective = common.collective;
  if (collective == Collective::barrier) return;
  if (divides_a_vector(collective)) {
    must_have_equal_vectors(members);
  } else if (!all.uniform_blocks() || common.short_by > 0) {
    const std::string of_group = std::string(name_of(collective)) + " of a group, ";
    if (!all.uniform_blocks() && !all.known_sizes())
      throw Mistake{of_group + "which does not know how large its blocks are"};
    if (!all.uniform_blocks() && collective == Collective::alltoall)
      throw Mistake{of_group + "whose members' blocks may differ in size"};
    must_have_equal_shares(members);
  }

  const auto root = static_cast<std::size_t>(common.root);
  std::vector<Values> given;
  for (const Member& member : members) {
    const auto values = member.memory->values(collective == Collective::bcast ? member.sub->into : member.sub->from);
    given.emplace_back(values.begin(), values.end());
  }
  if (collective == Collective::bcast) members[root].memory->must_be_written(members[root].sub->into);

  const bool scans = collective == Collective::scan || collective == Collective::exscan;
  Values result;
  if (reduces(collective) && !scans) result = combined(collective, given, symbols);
  if (collective == Collective::allgather || collective == Collective::gather) result = joined(given);
  if (collective == Collective::scatter || collective == Collective::bcast) result = given[root];

  for (std::size_t i = 0; i < members.size(); ++i) {
    const int index = static_cast<int>(i);
    const bool only_root = collective == Collective::gather || collective == Collective::reduce;
    if (only_root && i != root) continue;
    Values gets = result;
    if (scans) gets = combined_before(collective, given, collective == Collective::scan ? i + 1 : i, symbols);
    if (collective == Collective::scatter || collective == Collective::reduce_scatter_block)
      gets = share(common, result, index);
    if (collective == Collective::alltoall) {
      for (std::size_t giver = 0; giver < members.size(); ++giver) {
        const Values mine = share(*members[giver].sub, given[giver], index);
        gets.insert(gets.end(), mine.begin(), mine.end());
      }
    }
    members[i].memory->write(members[i].sub->into, gets);
  }
}

}  // namespace

SubCollective SubCollective::placed(const Placing& where) const {
  return {.collective = collective,
          .group = where.ranks(group),
          .root = root,
          .scale = scale * where.scale(),
          .from = where.blocks(from),
          .into = where.blocks(into),
          .short_by = short_by * where.scale()};
}

Drawing SubCollective::drawn() const {
  return {.bar = Drawing::Bar{.name = name_of(collective),
                              .title = std::string(name_of(collective)) + " of the MPI library",
                              .says = "collective of the MPI library",
                              .group = group,
                              .root = root,
                              .scale = scale,
                              .short_by = short_by,
                              .from = from,
                              .into = into}};
}

SubCollective::Flat SubCollective::flattened(FlatSchedule& into_schedule) const {
  into_schedule.subs.push_back(*this);
  return {static_cast<std::int32_t>(into_schedule.subs.size()) - 1};
}

void SubCollective::Flat::bind(Binder& binder) const {
  const SubCollective& sub = binder.schedule.subs[static_cast<std::size_t>(index)];
  binder.add<SubCollective>(static_cast<std::int32_t>(binder.program.natives.size()));
  binder.program.natives.push_back(
      {sub.collective, sub.group, sub.root, binder.where(sub.from), binder.where(sub.into)});
  const bool is_even = sub.short_by == 0 && binder.where.is_even();
  if (divides_a_vector(sub.collective) || sub.collective == Collective::barrier || is_even) return;
  NativePart& part = binder.program.natives.back();
  part.uneven = true;
  const bool gives_all = sub.collective == Collective::scatter || sub.collective == Collective::reduce_scatter_block;
  const Blocks all = gives_all ? sub.from : sub.into;
  if (all.count == 0) return;  // only the root has all of them
  std::vector<int>& shares = binder.program.shares;
  part.shares = static_cast<std::int32_t>(shares.size());
  const int members = sub.group.size();
  shares.resize(shares.size() + (2 * static_cast<std::size_t>(members)));
  int* const counts = shares.data() + part.shares;
  const std::int64_t start = binder.where(all).first;
  for (int member = 0; member < members; ++member) {
    const Extent share = binder.where(share_of(sub, all, member));
    counts[member] = static_cast<int>(share.count);
    counts[members + member] = static_cast<int>(share.first - start);
  }
}

std::int32_t SubCollective::InProgram::append(const InProgram& other, const Step& step, const RankSet& ranks) {
  NativePart part = other.natives[static_cast<std::size_t>(step.first)];
  if (part.uneven) {
    const auto theirs = std::span(other.shares).subspan(static_cast<std::size_t>(part.shares));
    const auto known = theirs.first(std::min(theirs.size(), 2 * static_cast<std::size_t>(part.group.size())));
    part.shares = static_cast<std::int32_t>(shares.size());
    shares.insert(shares.end(), known.begin(), known.end());
  }
  part.group = ranks.at(part.group);
  natives.push_back(std::move(part));
  return static_cast<std::int32_t>(natives.size()) - 1;
}

bool SubCollectiveRule::begin(int rank, const SubCollective& step) {
  const int members = step.group.size();
  all_.naming(rank, [&] {
    const int index = step.group.index_of(rank);
    if (index < 0) throw Mistake{"joins a group of " + std::to_string(members) + " ranks, which it is no member of"};
    if (!step.group.within(all_.ranks())) throw Mistake{"joins a group with a rank that does not exist"};
    must_be_possible({&all_.memory(rank), &step}, index);
  });
  std::vector<Come>& come = come_[step.group];
  if (!come.empty()) must_agree(rank, step, come.front());
  come.push_back({rank, &step});
  if (static_cast<int>(come.size()) < members) return false;

  std::vector<Member> together(come.size());
  for (const Come& one : come)
    together[static_cast<std::size_t>(step.group.index_of(one.rank))] = {&all_.memory(one.rank), one.step};
  all_.naming(rank, [&] { carry_out(together, all_, all_.symbols()); });
  order(step);
  for (const Come& one : come)
    if (one.rank != rank) all_.may_go_on(one.rank);
  come.clear();
  return true;
}

void SubCollectiveRule::must_agree(int rank, const SubCollective& step, const Come& other) const {
  const SubCollective& theirs = *other.step;
  const bool differ_by_pair = step.collective == Collective::alltoall && step.short_by > 0 && theirs.short_by > 0;
  const bool same_shares = theirs.scale == step.scale && theirs.short_by == step.short_by;
  if (theirs.collective == step.collective && theirs.root == step.root && (same_shares || differ_by_pair)) return;
  throw Mistake{all_.place(rank) + " comes to " + std::string(name_of(step.collective)) + " of its group while rank " +
                std::to_string(other.rank) + " is in " + std::string(name_of(theirs.collective)) +
                " there, or with another root or other shares"};
}

/// A member that gets data from others knows, once it has the result, that they have come.
void SubCollectiveRule::order(const SubCollective& step) const {
  HappensBefore* const known = all_.order();
  if (known == nullptr || !known->counts(step.collective != Collective::barrier)) return;
  std::vector<int> members(static_cast<std::size_t>(step.group.size()));
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = step.group.rank(static_cast<int>(i));
  if (step.collective == Collective::scan || step.collective == Collective::exscan) {
    for (std::size_t i = 1; i < members.size(); ++i)
      known->hear(std::span(members).subspan(i, 1), std::span(members).first(i));
    return;
  }
  const int root = members[static_cast<std::size_t>(step.root)];
  const Root is = traits_of(step.collective).root;
  const std::span<const int> all(members);
  known->hear(is == Root::takes ? std::span(&root, 1) : all, is == Root::gives ? std::span(&root, 1) : all);
}

Wait SubCollectiveRule::wait_of(int rank, const SubCollective& step) const {
  const std::vector<Come>& here = come_.at(step.group);
  for (int i = 0; i < step.group.size(); ++i) {
    const int member = step.group.rank(i);
    const auto is_here = [&](const Come& one) { return one.rank == member; };
    if (std::none_of(here.begin(), here.end(), is_here))
      return {member, "waits in " + std::string(name_of(step.collective)) + " for rank " + std::to_string(member)};
  }
  return {rank, "waits for itself"};
}

}  // namespace starling
