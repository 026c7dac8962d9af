#include "algorithms/part.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace starling {
namespace {

constexpr std::string_view native = "native";

/// A name as `candidate_named` takes it: parameters after the first colon, which separates them, too.
std::string as_candidate(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), ':', ',');
  if (const std::size_t first = name.find(':'); first != std::string_view::npos) text[first] = '?';
  return text;
}

/// The sub-collective that a collective is in one whose blocks may differ; nothing where there is none.
std::optional<Collective> as_sub_collective(Collective collective) {
  switch (collective) {
    case Collective::allgatherv: return Collective::allgather;
    case Collective::reduce_scatter: return Collective::reduce_scatter_block;
    case Collective::allgather:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::barrier:
    case Collective::bcast:
    case Collective::exscan:
    case Collective::gather:
    case Collective::reduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::scatter: return collective;
    default: return std::nullopt;
  }
}

/// A buffer of that kind on a rank that uses it.
Blocks buffer(Holds holds, Buffer which, const Team& team) {
  switch (holds) {
    case Holds::nothing: return nothing();
    case Holds::block: return at(which, 0, team.parts());
    default: return at(which, 0, team.blocks());
  }
}

/// Whether there are no ranks before this one whose data it gets.
bool has_no_result(Collective collective, int rank) {
  return collective == Collective::exscan && rank == 0;
}

Schedule by_the_library(Collective collective, const Team& team) {
  const Traits& has = traits_of(collective);
  const bool is_root = team.rank == team.root;
  const bool sends = has.root != Root::gives || is_root;
  const bool receives = has.root != Root::takes || is_root;
  Schedule todo(team.blocks());
  Buffer into = Buffer::recv;
  // Its own buffer stays as it is, but libraries may do anything with what they are given.
  if (has_no_result(collective, team.rank)) into = todo.add_scratch(team.blocks());
  todo.round().join({*as_sub_collective(collective), RankSet::consecutive(0, team.size), team.root,
                     divides_a_vector(collective) || collective == Collective::barrier ? 1 : team.parts(),
                     sends ? buffer(has.send, Buffer::send, team) : nothing(),
                     receives ? buffer(has.recv, into, team) : nothing()});
  return todo;
}

}  // namespace

std::optional<Part> Part::find(Collective collective, std::string_view name) {
  if (name == native)
    return as_sub_collective(collective) ? std::optional(Part(collective, std::nullopt)) : std::nullopt;
  std::optional<Bound> bound = candidate_named(collective, as_candidate(name));
  return bound ? std::optional(Part(collective, std::move(bound))) : std::nullopt;
}

Part Part::named(Collective collective, std::string_view name) {
  std::optional<Part> found = find(collective, name);
  if (!found) throw std::out_of_range("no " + std::string(name_of(collective)) + ":" + std::string(name));
  return *std::move(found);
}

Schedule Part::schedule(const Team& team) const {
  return by_candidate_ ? by_candidate_->schedule(team) : by_the_library(collective_, team);
}

std::string Part::refusal(Situation part) const {
  part.collective = collective_;
  std::string why =
      by_candidate_ ? by_candidate_->refusal(part) : native_part_refusal(part, !has_uniform_blocks(part.collective));
  if (why.empty()) return why;
  return std::string(name_of(collective_)) + ":" + (by_candidate_ ? by_candidate_->name() : std::string(native)) + " " +
         why;
}

Division Part::division(Situation part) const {
  part.collective = collective_;
  if (by_candidate_) return by_candidate_->division(part);
  return {divides_a_vector(collective_) ? 1 : part.ranks};
}

std::int64_t Part::scratch_blocks(Situation part) const {
  part.collective = collective_;
  if (by_candidate_) return by_candidate_->scratch_blocks(part);
  return has_no_result(collective_, 0) ? division(part).blocks : 0;
}

std::string native_part_refusal(const Situation& part, bool blocks_may_differ) {
  // For other operators MPICH 4's Reduce_scatter allocates room for elements without the gaps between them, and writes
  // past its end where a datatype has some.
  if (reduces(part.collective) && !part.commutative) return "needs a commutative operator in MPICH";
  // Of a reduction elements; another call of as many bytes may have as many of them.
  const std::int64_t units = std::max(part.elements, part.bytes);
  const std::int64_t blocks = divides_a_vector(part.collective) ? 1 : part.ranks;
  const bool is_countable = !blocks_may_differ || units <= std::numeric_limits<int>::max() / blocks;
  return is_countable ? "" : "has more data than MPI can count in an int";
}

}  // namespace starling
