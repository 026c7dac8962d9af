#include "algorithms/shared/pipeline.hpp"

#include <algorithm>

#include "algorithms/shared/radix.hpp"

namespace starling {
namespace {

constexpr std::int64_t most_segments = 1024;
constexpr std::int64_t most_messages = 8192;  // of one rank at once

/// Rounded up; 1 for whole vectors.
std::int64_t segment_count(const Situation& situation, const Parameters& with) {
  const std::int64_t segment = with.number("segment");
  return segment == 0 || situation.bytes <= segment ? 1 : ((situation.bytes - 1) / segment) + 1;
}

}  // namespace

Schedule pipelined_down(const Team& team, const TreePlace& place) {
  Schedule todo(team.blocks());
  const bool has_parent = place.parent >= 0;
  if (team.blocks() == 1) {
    // One child after the other: where all of them shared the link, the longest way down would begin last.
    if (has_parent) todo.round().receive(recvbuf(0), place.parent);
    for (const int child : place.children) todo.round().send(recvbuf(0), child);
    return todo;
  }
  const bool has_children = !place.children.empty();
  for (int step = 0; step <= team.blocks(); ++step) {
    const bool receives = has_parent && step < team.blocks();
    const bool sends = has_children && step > 0;
    if (!receives && !sends) continue;
    Round& round = todo.round();
    if (receives) round.receive(recvbuf(step), place.parent);
    if (!sends) continue;
    for (const int child : place.children) round.send(recvbuf(step - 1), child);
  }
  return todo;
}

Parameter segment_parameter() {
  Parameter segment = coarse_segment_parameter();
  // 4096 stands for all segments: short enough to keep a long tree busy, and long enough for a fast network.
  segment.values = {"none",   "4096",   "1024",   "2048",    "8192",    "16384",   "32768",   "65536",
                    "131072", "262144", "524288", "1048576", "2097152", "4194304", "8388608", "16777216"};
  return segment;
}

Parameter coarse_segment_parameter() {
  return {.name = "segment",
          .values = {"none", "8192", "65536", "524288"},
          .says = "bytes of a segment; none: the whole vector at once",
          .regroups = true};
}

Parameter short_message_parameter() {
  return {.name = "segment", .values = {"32768", "8192"}, .says = "bytes of a segment of each rank's block"};
}

Division segments(const Situation& situation, const Parameters& with) {
  const std::int64_t segment = with.number("segment");
  const auto count = static_cast<int>(segment_count(situation, with));
  const int blocks = divides_blocks(situation.collective) ? situation.ranks * count : count;
  if (segment == 0 || situation.bytes == 0) return {blocks};
  return {blocks, static_cast<int>(std::clamp<std::int64_t>(segment / situation.bytes, 1, situation.ranks))};
}

std::string segment_refusal(const Situation& situation, const Parameters& with) {
  const std::int64_t segment = with.number("segment");
  if (segment == 0) return {};
  if (segment >= situation.bytes) return "the message is one segment";
  if (segment_count(situation, with) > most_segments)
    return "would divide the message into more than " + std::to_string(most_segments) + " segments";
  return {};
}

std::string short_message_refusal(const Situation& situation, const Parameters& with) {
  constexpr std::int64_t most_mebibytes = 64;
  if (std::string why = segment_refusal(situation, with); !why.empty()) return why;
  if (situation.ranks * segment_count(situation, with) > most_messages)
    return "would make more than " + std::to_string(most_messages) + " messages for the blocks of all ranks";
  if (situation.ranks * situation.bytes > most_mebibytes * 1024 * 1024)
    return "would send more than " + std::to_string(most_mebibytes) + " MiB without waiting for the receiver";
  return {};
}

std::string sequential_refusal(const Situation& situation, const Parameters& with) {
  std::string why = segment_refusal(situation, with);
  if (!why.empty() || (situation.ranks - 1) * segment_count(situation, with) <= most_messages) return why;
  return "would give the root more than " + std::to_string(most_messages) + " messages";
}

std::string radix_or_segment_refusal(const Situation& situation, const Parameters& with) {
  const std::string why = radix_refusal(situation, with);
  return why.empty() ? segment_refusal(situation, with) : why;
}

}  // namespace starling
