#include "runtime/call/side.hpp"

#include "runtime/call/significance.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {

Side Side::even(void* buffer, int blocks, std::int64_t count, MPI_Datatype type) {
  Side side;
  side.base_ = static_cast<char*>(buffer);
  side.blocks_ = blocks;
  side.count_ = count;
  side.type_ = type;
  side.size_ = type_size(type);
  side.extent_ = Unit::of(type).extent;
  return side;
}

Side Side::uneven(void* buffer, int blocks, Counts counts, Displacements displacements, MPI_Datatype type) {
  Side side = even(buffer, blocks, 0, type);
  side.counts_ = counts;
  side.displacements_ = displacements;
  return side;
}

Side Side::mixed(void* buffer, int blocks, Counts counts, Displacements displacements, const MPI_Datatype* types) {
  Side side;
  side.base_ = static_cast<char*>(buffer);
  side.blocks_ = blocks;
  side.counts_ = counts;
  side.displacements_ = displacements;
  side.types_ = types;
  return side;
}

Side Side::target(const Call& call, int ranks, int rank) {
  if (given_buffers(call, rank).receive != Given::data) return {};
  switch (call.collective) {
    case Collective::bcast: return even(call.recvbuf, 1, call.sendcount, call.sendtype);
    case Collective::scatter:
    case Collective::scatterv: return even(call.recvbuf, 1, call.recvcount, call.recvtype);
    case Collective::gatherv:
    case Collective::allgatherv:
    case Collective::alltoallv: return uneven(call.recvbuf, ranks, call.recvcounts, call.rdispls, call.recvtype);
    case Collective::alltoallw: return mixed(call.recvbuf, ranks, call.recvcounts, call.rdispls, call.recvtypes);
    default: return even(call.recvbuf, ranks, call.recvcount, call.recvtype);
  }
}

Side Side::source(const Call& call, int ranks, int rank) {
  if (call.collective == Collective::bcast) return target(call, ranks, rank);
  const bool one_block = traits_of(call.collective).send == Holds::block;
  const Given given = given_buffers(call, rank).send;
  if (given == Given::anything) return {};
  if (given == Given::in_place) {
    const Side all = target(call, ranks, rank);
    return one_block ? all.only(rank) : all;
  }
  auto* buffer = const_cast<void*>(call.sendbuf);  // only read: the schedules never write to send
  switch (call.collective) {
    case Collective::scatterv:
    case Collective::alltoallv: return uneven(buffer, ranks, call.sendcounts, call.sdispls, call.sendtype);
    case Collective::alltoallw: return mixed(buffer, ranks, call.sendcounts, call.sdispls, call.sendtypes);
    default: return even(buffer, one_block ? 1 : ranks, call.sendcount, call.sendtype);
  }
}

std::int64_t Side::bytes(int block) const {
  return count(block) * (types_ == nullptr ? size_ : count(block) == 0 ? 0 : type_size(types_[block]));
}

bool Side::is_plain() const {
  if (blocks_ == 0) return true;
  if (types_ == nullptr) return starling::is_plain(type_);
  for (int block = 0; block < blocks_; ++block)
    if (counts_[block] != 0 && !starling::is_plain(types_[block])) return false;
  return true;
}

bool Side::is_dense() const {
  std::int64_t next = 0;
  for (int block = 0; block < blocks_; ++block) {
    if (bytes(block) != 0 && offset(block) != next) return false;
    next += bytes(block);
  }
  return true;
}

std::int64_t Side::offset(int block) const {
  return is_even() ? block * count_ * extent_ : displacements_[block] * extent_;
}

Side Side::only(int block) const {
  return even(address(block), 1, count(block), type(block));
}

int Side::pack_into(char* bytes) const {
  if (blocks_ == 0) return MPI_SUCCESS;
  if (is_even()) return pack(base_, count_ * blocks_, type_, bytes);
  for (int block = 0; block < blocks_; ++block) {
    if (counts_[block] == 0) continue;
    if (const int error = pack(address(block), counts_[block], type(block), bytes); error != MPI_SUCCESS) return error;
    bytes += this->bytes(block);
  }
  return MPI_SUCCESS;
}

int Side::unpack_from(const char* bytes) const {
  if (blocks_ == 0) return MPI_SUCCESS;
  if (is_even()) return unpack(bytes, base_, count_ * blocks_, type_);
  for (int block = 0; block < blocks_; ++block) {
    if (counts_[block] == 0) continue;
    if (const int error = unpack(bytes, address(block), counts_[block], type(block)); error != MPI_SUCCESS)
      return error;
    bytes += this->bytes(block);
  }
  return MPI_SUCCESS;
}

}  // namespace starling
