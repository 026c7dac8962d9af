#include "runtime/exchange/exchange.hpp"

#include <climits>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling::neighborhood {
namespace {

/// Calls `with` with a count and a datatype for MPI functions with int counts.
template <class With>
int with_int_count(std::int64_t count, MPI_Datatype type, With with) {
  if (count <= INT_MAX) return with(static_cast<int>(count), type);
  const Typed large(count, type);
  return with(large.count, large.type);
}

}  // namespace

Exchange::Exchange(const Rounds& rounds, int rank, const Implementation& implementation)
    : rounds_(rounds),
      rank_(rank),
      implementation_(implementation),
      steps_(steps_of(rounds, rank, implementation)),
      requests_(2 * rounds.all.size(), handles.request_null),
      next_(steps_.all.size()) {}

Exchange::~Exchange() {
  free_groups();
}

void Exchange::free_groups() {
  for (MPI_Group& group : groups_) pmpi.Group_free(&group);
  groups_.clear();
}

int Exchange::prepare(BlockMemory& memory, const Windows* windows, MPI_Comm comm) {
  if (!memory.reserve_copy(rounds_, rank_)) return MPI_ERR_NO_MEM;
  if (implementation_.handling == Handling::pack && !memory.reserve_packed()) return MPI_ERR_NO_MEM;
  if (!is_one_sided(implementation_.transfer)) return MPI_SUCCESS;
  windows_ = &windows->of(is_get(implementation_.transfer));
  free_groups();
  if (steps_.groups.empty()) return MPI_SUCCESS;
  MPI_Group everyone{};
  int failed = pmpi.Comm_group(comm, &everyone);
  if (failed != MPI_SUCCESS) return failed;
  for (const std::vector<int>& ranks : steps_.groups) {
    MPI_Group group{};
    failed = pmpi.Group_incl(everyone, static_cast<int>(ranks.size()), ranks.data(), &group);
    if (failed != MPI_SUCCESS) break;
    groups_.push_back(group);
  }
  pmpi.Group_free(&everyone);
  return failed;
}

void Exchange::start(const BlockMemory& memory, const Line& line) {
  memory_ = &memory;
  line_ = line;
  next_ = 0;
  error_ = MPI_SUCCESS;
  progress();
}

bool Exchange::progress() {
  for (; next_ < steps_.all.size(); ++next_) {
    const Step& step = steps_.all[next_];
    int error = MPI_SUCCESS;
    if (step.act == Act::wait_receive || step.act == Act::wait_send) {
      int complete = 0;
      error = pmpi.Test(step.act == Act::wait_send ? request_to_send(step) : request_to_receive(step), &complete,
                        MPI_STATUS_IGNORE);
      if (error == MPI_SUCCESS && complete == 0) return false;
    } else if (blocks(step.act)) {
      return false;
    } else {
      error = perform(step);
    }
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  return true;
}

int Exchange::wait() {
  for (; next_ < steps_.all.size(); ++next_)
    if (const int error = perform(steps_.all[next_]); error_ == MPI_SUCCESS) error_ = error;
  return error_;
}

Exchange::Data Exchange::to_send(const Round& round) const {
  const Piece& piece = memory_->sends[static_cast<std::size_t>(round.send)];
  if (implementation_.handling == Handling::ddt) return {memory_->send_base + piece.offset, piece.count, piece.type};
  char* const bytes = piece.is_one_line() ? memory_->send_base + piece.lines_at : memory_->packed_send(round.send);
  return {bytes, piece.bytes, handles.byte};
}

Exchange::Data Exchange::to_receive(const Round& round) const {
  const Piece& piece = memory_->receives[static_cast<std::size_t>(round.receive)];
  if (implementation_.handling == Handling::ddt) return {memory_->receive_base + piece.offset, piece.count, piece.type};
  char* const bytes =
      piece.is_one_line() ? memory_->receive_base + piece.lines_at : memory_->packed_receive(round.receive);
  return {bytes, piece.bytes, handles.byte};
}

int Exchange::perform(const Step& step) {
  switch (step.act) {
    case Act::copy: return copy(round(step));
    case Act::pack: return pack(round(step));
    case Act::unpack: return unpack(round(step));
    case Act::irecv: return post_receive(step);
    case Act::isend: return post_send(step);
    case Act::wait_receive: return pmpi.Wait(request_to_receive(step), MPI_STATUS_IGNORE);
    case Act::wait_send: return pmpi.Wait(request_to_send(step), MPI_STATUS_IGNORE);
    case Act::send: return send(round(step));
    case Act::receive: return receive(round(step));
    case Act::sendrecv: return sendrecv(round(step));
    case Act::fence_open: return pmpi.Win_fence(MPI_MODE_NOPRECEDE, window(step));
    case Act::fence_next: return pmpi.Win_fence(0, window(step));
    case Act::fence_close: return pmpi.Win_fence(MPI_MODE_NOSUCCEED, window(step));
    case Act::post: return pmpi.Win_post(groups_[static_cast<std::size_t>(step.number)], 0, window(step));
    case Act::start: return pmpi.Win_start(groups_[static_cast<std::size_t>(step.number)], 0, window(step));
    case Act::put: return put(step);
    case Act::get: return get(step);
    case Act::complete: return pmpi.Win_complete(window(step));
    case Act::wait_exposed: return pmpi.Win_wait(window(step));
  }
  return MPI_ERR_INTERN;
}

int Exchange::copy(const Round& round) {
  const Piece& from = memory_->sends[static_cast<std::size_t>(round.send)];
  const Piece& into = memory_->receives[static_cast<std::size_t>(round.receive)];
  if (from.bytes != into.bytes) return MPI_ERR_TRUNCATE;
  const int error = pack_piece(memory_->send_base, from, memory_->copied());
  return error != MPI_SUCCESS ? error : unpack_piece(memory_->copied(), into, memory_->receive_base);
}

int Exchange::pack(const Round& round) {
  const Piece& piece = memory_->sends[static_cast<std::size_t>(round.send)];
  return piece.is_one_line() ? MPI_SUCCESS : pack_piece(memory_->send_base, piece, memory_->packed_send(round.send));
}

int Exchange::unpack(const Round& round) {
  const Piece& piece = memory_->receives[static_cast<std::size_t>(round.receive)];
  return piece.is_one_line() ? MPI_SUCCESS
                             : unpack_piece(memory_->packed_receive(round.receive), piece, memory_->receive_base);
}

int Exchange::post_receive(const Step& step) {
  const Data data = to_receive(round(step));
  MPI_Request* const request = request_to_receive(step);
  const int error = with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return pmpi.Irecv(data.address, count, type, peer(round(step).from), line_.tag, line_.comm, request);
  });
  if (error != MPI_SUCCESS) *request = handles.request_null;
  return error;
}

int Exchange::post_send(const Step& step) {
  const Data data = to_send(round(step));
  MPI_Request* const request = request_to_send(step);
  const int error = with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return pmpi.Isend(data.address, count, type, peer(round(step).to), line_.tag, line_.comm, request);
  });
  if (error != MPI_SUCCESS) *request = handles.request_null;
  return error;
}

int Exchange::send(const Round& round) {
  const Data data = to_send(round);
  return with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return pmpi.Send(data.address, count, type, peer(round.to), line_.tag, line_.comm);
  });
}

int Exchange::receive(const Round& round) {
  const Data data = to_receive(round);
  return with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return pmpi.Recv(data.address, count, type, peer(round.from), line_.tag, line_.comm, MPI_STATUS_IGNORE);
  });
}

int Exchange::sendrecv(const Round& round) {
  const Data out = to_send(round);
  const Data in = to_receive(round);
  return with_int_count(out.count, out.type, [&](int out_count, MPI_Datatype out_type) {
    return with_int_count(in.count, in.type, [&](int in_count, MPI_Datatype in_type) {
      return pmpi.Sendrecv(out.address, out_count, out_type, peer(round.to), line_.tag, in.address, in_count, in_type,
                           peer(round.from), line_.tag, line_.comm, MPI_STATUS_IGNORE);
    });
  });
}

int Exchange::put(const Step& step) {
  const int target = round(step).to;
  const Data data = to_send(round(step));
  const Piece& there = memory_->wanted_there[static_cast<std::size_t>(step.number)];
  return with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return with_int_count(there.count, there.type, [&](int count_there, MPI_Datatype type_there) {
      return pmpi.Put(data.address, count, type, target, there.offset, count_there, type_there, window(step));
    });
  });
}

int Exchange::get(const Step& step) {
  const int target = round(step).from;
  const Data data = to_receive(round(step));
  const Piece& there = memory_->sent_from_there[static_cast<std::size_t>(step.number)];
  return with_int_count(data.count, data.type, [&](int count, MPI_Datatype type) {
    return with_int_count(there.count, there.type, [&](int count_there, MPI_Datatype type_there) {
      return pmpi.Get(data.address, count, type, target, there.offset, count_there, type_there, window(step));
    });
  });
}

}  // namespace starling::neighborhood
