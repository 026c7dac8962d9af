#include "runtime/staging.hpp"

namespace starling {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool is_allgather(Collective collective) {
  return collective == Collective::allgather || collective == Collective::allgatherv;
}

bool scatters(Collective collective) {
  return collective == Collective::reduce_scatter || collective == Collective::reduce_scatter_block;
}

/// Whether block i of an allgatherv lies right behind block i - 1.
bool blocks_touch(const Call& call, int ranks) {
  std::int64_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (call.recvcounts[rank] != 0 && call.rdispls[rank] != next) return false;
    next += call.recvcounts[rank];
  }
  return true;
}

MPI_Aint extent_of(MPI_Datatype type) {
  return Unit::of(type).extent;
}

}  // namespace

Staging::Staging(const Call& call, const Layout& layout, int rank, bool works_in_place)
    : call_(call),
      layout_(layout),
      rank_(rank),
      unit_(reduces(call.collective) ? Unit::of(call.sendtype) : Unit::bytes()),
      in_place_(call.sendbuf == MPI_IN_PLACE) {
  if (reduces(call.collective)) {
    alias_send_ = in_place_ && works_in_place && !scatters(call.collective);
    stage_send_ = in_place_ && !alias_send_;
  } else if (call.collective == Collective::bcast) {
    stage_recv_ = !is_plain(call.sendtype);
  } else if (is_allgather(call.collective)) {
    alias_send_ = in_place_;
    stage_send_ = !in_place_ && !is_plain(call.sendtype);
    stage_recv_ =
        !is_plain(call.recvtype) || (call.collective == Collective::allgatherv && !blocks_touch(call, layout.blocks()));
  } else {
    stage_send_ = in_place_ || !is_plain(call.sendtype);
    stage_recv_ = !is_plain(call.recvtype);
  }
}

std::int64_t Staging::send_units() const {
  return is_allgather(call_.collective) ? layout_.size(rank_) : layout_.total();
}

std::int64_t Staging::recv_units() const {
  return scatters(call_.collective) ? layout_.size(rank_) : layout_.total();
}

std::size_t Staging::workspace_bytes(const Program& program) const {
  std::size_t bytes = 0;
  if (stage_send_) bytes += aligned(unit_.span(send_units()).bytes);
  if (stage_recv_) bytes += aligned(unit_.span(recv_units()).bytes);
  for (const std::int64_t units : program.scratch) bytes += aligned(unit_.span(units).bytes);
  return bytes;
}

int Staging::begin(const Program& program, char* workspace, Buffers& buffers) const {
  const auto place = [&](std::int64_t units) {
    const Unit::Span span = unit_.span(units);
    char* base = workspace + span.before;
    workspace += aligned(span.bytes);
    return base;
  };
  char*& send = buffers.base[0];
  char*& recv = buffers.base[1];
  recv = stage_recv_ ? place(recv_units()) : static_cast<char*>(call_.recvbuf);
  if (alias_send_) {
    send = is_allgather(call_.collective) ? recv + layout_.start(rank_) : recv;
  } else {
    send = stage_send_ ? place(send_units()) : static_cast<char*>(const_cast<void*>(call_.sendbuf));
  }
  std::size_t next = static_cast<std::size_t>(Buffer::scratch);
  for (const std::int64_t units : program.scratch) buffers.base[next++] = place(units);

  const int ranks = layout_.blocks();
  if (reduces(call_.collective))
    return stage_send_ ? copy_elements(call_.recvbuf, send, send_units(), unit_) : MPI_SUCCESS;
  if (call_.collective == Collective::bcast)
    return stage_recv_ && rank_ == call_.root ? pack(call_.recvbuf, call_.sendcount, call_.sendtype, recv)
                                              : MPI_SUCCESS;
  if (is_allgather(call_.collective)) {
    if (stage_send_) return pack(call_.sendbuf, call_.sendcount, call_.sendtype, send);
    if (!alias_send_ || !stage_recv_) return MPI_SUCCESS;
    const bool uneven = call_.collective == Collective::allgatherv;
    const std::int64_t count = uneven ? call_.recvcounts[rank_] : call_.recvcount;
    const std::int64_t offset = uneven ? call_.rdispls[rank_] : call_.recvcount * rank_;
    return pack(static_cast<const char*>(call_.recvbuf) + (offset * extent_of(call_.recvtype)), count, call_.recvtype,
                send);
  }
  if (!stage_send_) return MPI_SUCCESS;
  return in_place_ ? pack(call_.recvbuf, call_.recvcount * ranks, call_.recvtype, send)
                   : pack(call_.sendbuf, call_.sendcount * ranks, call_.sendtype, send);
}

int Staging::end(const Buffers& buffers) const {
  if (!stage_recv_) return MPI_SUCCESS;
  const char* staged = buffers.base[1];
  if (call_.collective == Collective::bcast)
    return rank_ == call_.root ? MPI_SUCCESS : unpack(staged, call_.recvbuf, call_.sendcount, call_.sendtype);
  if (call_.collective == Collective::allgatherv) return unpack_blocks(staged);
  return unpack(staged, call_.recvbuf, call_.recvcount * layout_.blocks(), call_.recvtype);
}

int Staging::unpack_blocks(const char* staged) const {
  const MPI_Aint extent = extent_of(call_.recvtype);
  for (int block = 0; block < layout_.blocks(); ++block) {
    const int error =
        unpack(staged + layout_.start(block), static_cast<char*>(call_.recvbuf) + (call_.rdispls[block] * extent),
               call_.recvcounts[block], call_.recvtype);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace starling
