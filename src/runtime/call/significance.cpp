#include "runtime/call/significance.hpp"

#include "runtime/call/checks.hpp"

namespace starling {
namespace {

Given given(const void* buffer, bool is_significant, bool may_be_in_place) {
  if (!is_significant) return Given::anything;
  if (buffer != MPI_IN_PLACE) return Given::data;
  return may_be_in_place ? Given::in_place : Given::misplaced;
}

}  // namespace

GivenBuffers given_buffers(const Call& call, int rank) {
  const Traits& has = traits_of(call.collective);
  const bool is_root = rank == call.root;
  const bool scatters_here = has.root == Root::gives && has.send == Holds::blocks && is_root;
  const bool sends = has.root != Root::gives || scatters_here;
  // Neighbours may have both buffers in one array: datatypes say which cells are sent, and which are received.
  const bool may_send_in_place = has.root == Root::none ? !has.among_neighbours : has.root == Root::takes && is_root;
  const bool receives = call.collective == Collective::exscan ? rank != 0 || checks_of(call.collective).unused_result
                                                              : has.root != Root::takes || is_root;
  return {given(call.sendbuf, sends, may_send_in_place), given(call.recvbuf, receives, scatters_here)};
}

}  // namespace starling
