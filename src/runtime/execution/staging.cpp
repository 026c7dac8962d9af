#include "runtime/execution/staging.hpp"

namespace starling {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

void Staging::set_up(const Call& call, const Facts& facts, int blocks, int rank, bool works_in_place, bool passes_on) {
  call_ = &call;
  rank_ = rank;
  own_send_layout_ = alias_send_ = stage_send_ = stage_recv_ = false;
  alias_start_ = 0;
  if (reduces(call.collective)) {
    set_up_reduction(facts, blocks, works_in_place);
  } else if (call.collective == Collective::barrier) {
    unit_ = Unit::bytes();
    recv_layout_.divide(blocks, 0);
  } else {
    set_up_movement(facts, blocks, works_in_place, passes_on);
  }
}

void Staging::find_sides(const Facts& facts) {
  source_ = Side::source(*call_, facts.situation.ranks, rank_);
  target_ = Side::target(*call_, facts.situation.ranks, rank_);
}

void Staging::set_up_reduction(const Facts& facts, int blocks, bool works_in_place) {
  unit_ = Unit::of(call_->sendtype);
  if (traits_of(call_->collective).sizes == Sizes::known) {
    recv_layout_.clear();
    for (int block = 0; block < blocks; ++block) recv_layout_.add(call_->recvcounts[block]);
  } else {
    recv_layout_.divide(blocks, facts.units);
  }
  const bool in_place = call_->sendbuf == MPI_IN_PLACE;
  alias_send_ = in_place && works_in_place;
  stage_send_ = in_place && !alias_send_;
  send_units_ = recv_layout_.total();
}

void Staging::set_up_movement(const Facts& facts, int blocks, bool works_in_place, bool passes_on) {
  const Collective collective = call_->collective;
  const Traits& has = traits_of(collective);
  const bool sends_one_block = has.send == Holds::block;
  const bool receives_one_block = has.recv == Holds::block;
  const bool of_pairs = has_sizes_of_pairs(collective);
  // A scatter's send buffer is significant at the root only, where it can't be in place.
  const bool in_place = call_->sendbuf == MPI_IN_PLACE && !receives_one_block;
  unit_ = Unit::bytes();
  find_sides(facts);
  alias_send_ = in_place && works_in_place;
  stage_send_ = collective != Collective::bcast && !alias_send_ &&
                (in_place || !source_.is_plain() || (passes_on && !source_.is_dense()));
  // Blocks that ranks forward together must be contiguous; where counts are local, most send each block alone.
  // In a scatter in place the root's own block stays where it is, but the schedule needs a place to copy it to.
  const bool keeps_own_block = receives_one_block && call_->recvbuf == MPI_IN_PLACE;
  stage_recv_ =
      keeps_own_block || !target_.is_plain() || ((has.sizes == Sizes::known || passes_on) && !target_.is_dense());

  if (has.sizes == Sizes::at_root) {
    lay_out_from_root(blocks, passes_on);
  } else if (has.sizes == Sizes::known || of_pairs) {
    lay_out(target_, stage_recv_ || !of_pairs || passes_on, recv_layout_);
  } else {
    recv_layout_.divide(blocks, facts.units, parts_of_a_block(collective, facts.situation.ranks, blocks));
  }
  own_send_layout_ = of_pairs && !alias_send_;
  if (own_send_layout_) lay_out(source_, stage_send_ || passes_on, send_layout_);
  if (alias_send_ && sends_one_block) alias_start_ = recv_layout_.start(rank_ * recv_layout_.parts());
  send_units_ = sends_one_block ? recv_layout_.size_of_rank(rank_) : send_layout().total();
  recv_units_ = receives_one_block ? recv_layout_.size_of_rank(rank_) : recv_layout_.total();
}

void Staging::lay_out_from_root(int blocks, bool passes_on) {
  const bool scatters = traits_of(call_->collective).root == Root::gives;
  if (rank_ == call_->root) {
    lay_out(scatters ? source_ : target_, passes_on || (scatters ? stage_send_ : stage_recv_), recv_layout_);
    return;
  }
  // Blocks of other ranks never reach this rank.
  const std::int64_t own = (scatters ? target_ : source_).bytes(0);
  recv_layout_.clear();
  for (int block = 0; block < blocks; ++block) recv_layout_.add(block == rank_ ? own : 0);
}

void Staging::lay_out(const Side& side, bool staged, Layout& layout) {
  layout.clear();
  for (int block = 0; block < side.blocks(); ++block) {
    if (staged) {
      layout.add(side.bytes(block));
    } else {
      layout.add_at(side.offset(block), side.bytes(block));
    }
  }
}

std::size_t Staging::workspace_bytes(const Program& program) const {
  std::size_t bytes = 0;
  if (stage_send_) bytes += aligned(unit_.span(send_units_).bytes);
  if (stage_recv_) bytes += aligned(unit_.span(recv_units_).bytes);
  for (const std::int64_t units : program.scratch) bytes += aligned(unit_.span(units).bytes);
  return bytes;
}

int Staging::place(const Program& program, char* workspace, Buffers& buffers) const {
  const auto place = [&](std::int64_t units) {
    const Unit::Span span = unit_.span(units);
    char* base = workspace + span.before;
    workspace += aligned(span.bytes);
    return base;
  };
  char*& recv = buffers.at(Buffer::recv);
  char*& send = buffers.at(Buffer::send);
  if (stage_recv_) recv = place(recv_units_);
  send = stage_send_ ? place(send_units_) : in_place_or_own(recv);
  auto next = static_cast<std::size_t>(Buffer::scratch);
  for (const std::int64_t units : program.scratch) buffers.base[next++] = place(units);

  if (reduces(call_->collective))
    return stage_send_ ? copy_elements(call_->recvbuf, send, send_units_, unit_) : MPI_SUCCESS;
  if (stage_send_) return source_.pack_into(send);
  // The application's data may start in the receive buffer.
  const bool starts_in_recv = call_->collective == Collective::bcast ? rank_ == call_->root : alias_send_;
  return stage_recv_ && starts_in_recv ? source_.pack_into(alias_send_ ? send : recv) : MPI_SUCCESS;
}

int Staging::give_back(const Buffers& buffers) const {
  const bool has_result = call_->collective != Collective::bcast || rank_ != call_->root;
  return has_result ? target_.unpack_from(buffers.at(Buffer::recv)) : MPI_SUCCESS;
}

}  // namespace starling
