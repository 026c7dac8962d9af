#include "algorithms/shared/forwarding.hpp"

#include <algorithm>
#include <vector>

#include "algorithms/shared/pipeline.hpp"

namespace starling {
namespace {

/// Where the subtrees of the root's children begin, in the order of ranks counted from the root, and where the last one
/// ends.
std::vector<int> bounds_of_children(const Team& team, const TreePlace& place) {
  std::vector<int> bounds{place.end};
  for (const int child : place.children) bounds.push_back(team.wrap(child - team.root));
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

/// Blocks first, ..., end - 1, counted from the first one of the root's.
struct Segment {
  int first;
  int end;
  int peer;  ///< rank it goes to or comes from
};

/// How the blocks of a run of ranks are cut into messages, the same at both ends: after every so many, and where ranks
/// counted from the root start again at 0, since the root has its blocks in the order of ranks.
class Cutter {
 public:
  explicit Cutter(const Team& team) : team_(&team), parts_(team.parts()), wrap_((team.size - team.root) * parts_) {}

  /// Whether all blocks of a subtree travel at once.
  [[nodiscard]] bool whole() const { return team_->division.per_message == 0; }
  /// Whether a segment is one rank's block, as a leaf gets it.
  [[nodiscard]] bool is_one_block(const Segment& one) const { return one.end - one.first <= parts_; }
  /// The parts of each rank's block.
  [[nodiscard]] int parts() const { return parts_; }
  /// This rank's first block.
  [[nodiscard]] int own() const { return team_->relative() * parts_; }

  /// The segments of all children, child by child in the order of ranks counted from the root.
  [[nodiscard]] std::vector<Segment> of_children(const TreePlace& place) const {
    const std::vector<int> bounds = bounds_of_children(*team_, place);
    std::vector<Segment> segments;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
      cut(bounds[i], bounds[i + 1], team_->absolute(bounds[i]), segments);
    return segments;
  }
  /// The same in the order of place.children.
  [[nodiscard]] std::vector<Segment> of_children_as_they_stand(const TreePlace& place) const {
    const std::vector<int> bounds = bounds_of_children(*team_, place);
    std::vector<Segment> segments;
    for (const int child : place.children) {
      const int first = team_->wrap(child - team_->root);
      cut(first, *std::upper_bound(bounds.begin(), bounds.end(), first), child, segments);
    }
    return segments;
  }
  [[nodiscard]] std::vector<Segment> of_parent(const TreePlace& place) const {
    std::vector<Segment> segments;
    cut(team_->relative(), place.end, place.parent, segments);
    return segments;
  }

  /// Where the root has a segment's blocks.
  [[nodiscard]] Blocks at_root(Buffer buffer, const Segment& segment) const {
    const int first = segment.first < wrap_ ? segment.first + team_->blocks() - wrap_ : segment.first - wrap_;
    return at(buffer, first, segment.end - segment.first);
  }
  /// Where another rank has them, in scratch for its subtree.
  [[nodiscard]] Blocks in_subtree(Buffer buffer, const Segment& segment) const {
    return at(buffer, segment.first - own(), segment.end - segment.first);
  }

 private:
  void cut(int first_rank, int end_rank, int peer, std::vector<Segment>& segments) const {
    const int end = end_rank * parts_;
    for (int first = first_rank * parts_; first < end;) {
      const int per_message = team_->division.per_message;
      int next = per_message == 0 ? end : std::min(end, first + per_message);
      if (first < wrap_ && next > wrap_) next = wrap_;
      segments.push_back({first, next, peer});
      first = next;
    }
  }

  const Team* team_;
  int parts_;
  int wrap_;
};

/// Passes on what comes, by way of scratch for a subtree whose blocks before `have` are there already: a round sends
/// all it can and receives what the next one needs to send again.
void pass_on(Schedule& todo, const Cutter& cutter, Buffer subtree, const std::vector<Segment>& coming,
             const std::vector<Segment>& going, int have) {
  for (auto in = coming.begin(), out = going.begin(); out != going.end();) {
    Round& round = todo.round();
    for (; out != going.end() && out->end <= have; ++out) round.send(cutter.in_subtree(subtree, *out), out->peer);
    if (in == coming.end()) continue;
    do {
      round.receive(cutter.in_subtree(subtree, *in), in->peer);
      have = in++->end;
    } while (have < out->end);
  }
}

/// Sends whole subtrees. A child that passes blocks on has a round of its own, in the order of `going`: if all went at
/// once they would share this rank's link, and the largest, which has the longest way before it, would come last.
/// Children without children share a round.
template <class Where>
void send_subtrees(Schedule& todo, const Cutter& cutter, const std::vector<Segment>& going, Where where) {
  const Segment* last = nullptr;
  Round* round = nullptr;
  for (const Segment& one : going) {
    const bool together = last && (last->peer == one.peer || (cutter.is_one_block(*last) && cutter.is_one_block(one)));
    if (!together) round = &todo.round();
    round->send(where(one), one.peer);
    last = &one;
  }
}

}  // namespace

Parameter forwarded_segment_parameter() {
  Parameter segment = segment_parameter();
  segment.says = "bytes of a segment; none: all blocks of a subtree at once";
  segment.serves = [](std::string_view value, Collective collective) {
    return value == "none" || all_know_sizes(collective);
  };
  return segment;
}

std::string forwarded_refusal(const Situation& situation, const Parameters& with, const TreePlace& root) {
  const std::int64_t segment = with.number("segment");
  if (segment == 0) return {};
  if (!all_know_sizes(situation.collective)) return "needs to know how large all blocks are, for segments";
  if (segment < situation.bytes) return sequential_refusal(situation, with);
  const std::vector<int> bounds = bounds_of_children({.size = situation.ranks, .rank = 0}, root);
  int most = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) most = std::max(most, bounds[i + 1] - bounds[i]);
  return segment >= most * situation.bytes ? "the message is one segment" : std::string{};
}

Schedule forwarded_up(const Team& team, const TreePlace& place) {
  const Cutter cutter(team);
  const std::vector<Segment> coming = cutter.of_children(place);
  Schedule todo(team.blocks());
  if (place.parent < 0) {
    todo.copy(sendbuf(0, cutter.parts()), recvbuf(team.rank * cutter.parts(), cutter.parts()));
    if (coming.empty()) return todo;
    Round& round = todo.round();
    for (const Segment& one : coming) round.receive(cutter.at_root(Buffer::recv, one), one.peer);
    return todo;
  }
  const std::vector<Segment> going = cutter.of_parent(place);
  if (coming.empty()) {
    Round& round = todo.round();
    for (const Segment& one : going) round.send(cutter.in_subtree(Buffer::send, one), one.peer);
    return todo;
  }
  const int ranks = place.end - team.relative();
  const Buffer subtree = todo.add_scratch(ranks * cutter.parts(), team.rank * cutter.parts());
  todo.copy(sendbuf(0, cutter.parts()), at(subtree, 0, cutter.parts()));
  pass_on(todo, cutter, subtree, coming, going, cutter.own() + cutter.parts());
  return todo;
}

Schedule forwarded_down(const Team& team, const TreePlace& place) {
  const Cutter cutter(team);
  Schedule todo(team.blocks());
  if (place.parent < 0) {
    todo.copy(sendbuf(team.rank * cutter.parts(), cutter.parts()), recvbuf(0, cutter.parts()));
    if (place.children.empty()) return todo;
    const std::vector<Segment> going = cutter.of_children_as_they_stand(place);
    const auto from = [&](const Segment& one) { return cutter.at_root(Buffer::send, one); };
    if (cutter.whole()) {
      send_subtrees(todo, cutter, going, from);
    } else {
      Round& round = todo.round();
      for (const Segment& one : going) round.send(from(one), one.peer);
    }
    return todo;
  }
  const std::vector<Segment> coming = cutter.of_parent(place);
  if (place.children.empty()) {
    Round& round = todo.round();
    for (const Segment& one : coming) round.receive(cutter.in_subtree(Buffer::recv, one), one.peer);
    return todo;
  }
  const int ranks = place.end - team.relative();
  const Buffer subtree = todo.add_scratch(ranks * cutter.parts(), team.rank * cutter.parts());
  if (cutter.whole()) {
    Round& round = todo.round();
    for (const Segment& one : coming) round.receive(cutter.in_subtree(subtree, one), one.peer);
    send_subtrees(todo, cutter, cutter.of_children_as_they_stand(place),
                  [&](const Segment& one) { return cutter.in_subtree(subtree, one); });
  } else {
    pass_on(todo, cutter, subtree, coming, cutter.of_children(place), cutter.own());
  }
  todo.copy(at(subtree, 0, cutter.parts()), recvbuf(0, cutter.parts()));
  return todo;
}

}  // namespace starling
