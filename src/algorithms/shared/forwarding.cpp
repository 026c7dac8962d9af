#include "algorithms/shared/forwarding.hpp"

#include <algorithm>
#include <vector>

namespace starling {
namespace {

/// The blocks of the ranks first, ..., end - 1, counted from the root.
struct Packet {
  int first;
  int end;
  int peer = -1;  ///< rank it goes to or comes from
};

/// How runs of ranks are cut into messages, the same at both ends: after every `size` blocks, and where ranks counted
/// from the root start again at 0, since the root has its blocks in the order of ranks.
class Cutter {
 public:
  Cutter(const Team& team, const Parameters& with)
      : team_(&team), size_(static_cast<int>(with.number("packet"))), wrap_(team.size - team.root) {}

  void cut(int first, int end, int peer, std::vector<Packet>& packets) const {
    while (first < end) {
      int next = size_ == 0 ? end : std::min(end, first + size_);
      if (first < wrap_ && next > wrap_) next = wrap_;
      packets.push_back({first, next, peer});
      first = next;
    }
  }

  /// The packets of all children, in the order of ranks counted from the root.
  [[nodiscard]] std::vector<Packet> of_children(const TreePlace& place) const {
    std::vector<int> firsts;
    for (const int child : place.children) firsts.push_back(team_->wrap(child - team_->root));
    std::sort(firsts.begin(), firsts.end());
    std::vector<Packet> packets;
    for (std::size_t i = 0; i < firsts.size(); ++i)
      cut(firsts[i], i + 1 < firsts.size() ? firsts[i + 1] : place.end, team_->absolute(firsts[i]), packets);
    return packets;
  }

  [[nodiscard]] std::vector<Packet> of_parent(const TreePlace& place) const {
    std::vector<Packet> packets;
    cut(team_->relative(), place.end, place.parent, packets);
    return packets;
  }

  /// Where the root has a packet's blocks.
  [[nodiscard]] Blocks at_root(Buffer buffer, const Packet& packet) const {
    return at(buffer, team_->absolute(packet.first), packet.end - packet.first);
  }
  /// Where another rank has them, in scratch for its subtree.
  [[nodiscard]] Blocks in_subtree(Buffer buffer, const Packet& packet) const {
    return at(buffer, packet.first - team_->relative(), packet.end - packet.first);
  }

 private:
  const Team* team_;
  int size_;
  int wrap_;
};

}  // namespace

Parameter packet_parameter() {
  return {.name = "packet",
          .values = {"none", "1", "2", "4", "8", "16", "32"},
          .says = "ranks' blocks in a message; none: all of a subtree",
          .regroups = true};
}

Schedule forwarded_up(const Team& team, const TreePlace& place, const Parameters& with) {
  const Cutter cutter(team, with);
  const std::vector<Packet> coming = cutter.of_children(place);
  Schedule todo(team.blocks);
  if (place.parent < 0) {
    todo.copy(sendbuf(0), recvbuf(team.rank));
    if (coming.empty()) return todo;
    Round& round = todo.round();
    for (const Packet& one : coming) round.receive(cutter.at_root(Buffer::recv, one), one.peer);
    return todo;
  }
  if (coming.empty()) {
    todo.round().send(sendbuf(0), place.parent);
    return todo;
  }
  const Buffer subtree = todo.add_scratch(place.end - team.relative(), team.rank);
  todo.copy(sendbuf(0), at(subtree, 0));
  const std::vector<Packet> going = cutter.of_parent(place);
  int have = team.relative() + 1;
  for (auto in = coming.begin(), out = going.begin(); out != going.end();) {
    Round& round = todo.round();
    for (; out != going.end() && out->end <= have; ++out) round.send(cutter.in_subtree(subtree, *out), out->peer);
    if (in == coming.end()) continue;
    round.receive(cutter.in_subtree(subtree, *in), in->peer);
    have = in++->end;
    // Nothing to pass on yet: the rest may come in the same round.
    while (out->end > have) {
      round.receive(cutter.in_subtree(subtree, *in), in->peer);
      have = in++->end;
    }
  }
  return todo;
}

Schedule forwarded_down(const Team& team, const TreePlace& place, const Parameters& with) {
  const Cutter cutter(team, with);
  const std::vector<Packet> going = cutter.of_children(place);
  Schedule todo(team.blocks);
  if (place.parent < 0) {
    todo.copy(sendbuf(team.rank), recvbuf(0));
    if (going.empty()) return todo;
    Round& round = todo.round();
    for (const int child : place.children)
      for (const Packet& one : going)
        if (one.peer == child) round.send(cutter.at_root(Buffer::send, one), child);
    return todo;
  }
  if (going.empty()) {
    todo.round().receive(recvbuf(0), place.parent);
    return todo;
  }
  const Buffer subtree = todo.add_scratch(place.end - team.relative(), team.rank);
  const std::vector<Packet> coming = cutter.of_parent(place);
  int have = team.relative();
  for (auto in = coming.begin(), out = going.begin(); in != coming.end() || out != going.end();) {
    Round& round = todo.round();
    for (; out != going.end() && out->end <= have; ++out) round.send(cutter.in_subtree(subtree, *out), out->peer);
    if (in == coming.end()) continue;
    round.receive(cutter.in_subtree(subtree, *in), in->peer);
    if (in == coming.begin()) round.copy(at(subtree, 0), recvbuf(0));
    have = in++->end;
  }
  return todo;
}

std::int64_t scratch_of_forwarding(const Situation& situation, TreePlace (*tree)(const Team&)) {
  int most = 0;
  for (int rank = 1; rank < situation.ranks; ++rank) {
    const TreePlace place = tree({.size = situation.ranks, .rank = rank});
    if (!place.children.empty()) most = std::max(most, place.end - rank);
  }
  return most;
}

}  // namespace starling
