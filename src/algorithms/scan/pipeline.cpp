// scan:pipeline: every rank gets the sum of those before it, adds its own data and passes it on to the next; with
// segments all ranks are soon busy.
//
//            rank 0   rank 1   rank 2   rank 3        segments A, B; what has become its result
//   start    AB       ..       ..       ..
//   step 1   AB       A.       ..       ..
//   step 2   AB       AB       A.       ..
//   step 3   AB       AB       AB       A.
//   step 4   AB       AB       AB       AB
//
// In an exscan the result is what comes in; a rank adds its own data only to what it passes on.

#include "algorithms/shared/pipeline.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::scan {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  const int all = team.blocks();
  const bool inclusive = team.collective == Collective::scan;
  const bool receives = team.rank > 0;
  const bool sends = team.rank + 1 < team.size;
  Schedule todo(all);
  // What goes on to the right counts my own data; it is the right operand of what comes in.
  Buffer own = inclusive ? Buffer::recv : Buffer::send;
  if (!inclusive && receives && sends) own = todo.add_scratch(all);
  const Buffer arriving = inclusive && receives ? todo.add_scratch(all) : Buffer::recv;
  if (own != Buffer::send) todo.copy(sendbuf(0, all), at(own, 0, all));
  for (int step = 0; step <= all; ++step) {
    const bool more = receives && step < all;
    const bool passes_on = sends && step > 0;
    if (!more && !passes_on) continue;
    Round& round = todo.round();
    if (passes_on) round.send(at(own, step - 1), team.rank + 1);
    if (!more) continue;
    round.receive(at(arriving, step), team.rank - 1);
    if (own != Buffer::send) round.combine(at(arriving, step), at(own, step));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  const int without = situation.collective == Collective::scan ? 1 : 2;  // ranks that need none
  return situation.ranks > without ? segments(situation, with).blocks : 0;
}

}  // namespace

Algorithm pipeline() {
  return {
      .collectives = {Collective::scan, Collective::exscan},
      .name = "pipeline",
      .says = "passes segments of the sum along a chain of all ranks",
      .source = "Sanders and Träff 2006",
      .group = "chain",
      .parameters = {coarse_segment_parameter()},
      .reduction_order = "chain",
      .counterparts = {{.ompi = "linear", .with = "segment=none"}},
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::scan
