#include "runtime/execution/steps/sharing.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/execution/segment.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {
namespace {

/// Memory for data in pieces, of which some are done. What has no data is one piece.
class Pieces {
 public:
  explicit Pieces(std::int64_t most) : most_(most) {}
  void begin(const Extent& data) {
    left_ = data.count;
    first_ = data.first;
    buffer_ = data.buffer;
  }
  [[nodiscard]] Extent current() const { return {buffer_, first_, std::min(left_, most_)}; }
  [[nodiscard]] bool is_last() const { return left_ <= most_; }
  /// Goes on to the next piece, which is empty behind the last one.
  void next() {
    const std::int64_t done = std::min(left_, most_);
    first_ += done;
    left_ -= done;
  }

 private:
  std::int64_t most_;
  std::int64_t left_ = 0;
  std::int64_t first_ = 0;
  std::int32_t buffer_ = 0;
};

/// One sharing of a program, carried out. What lies in shared memory are the elements' bytes without gaps.
class OneSharing {
 public:
  OneSharing(const Running& run, const BoundSharing& sharing)
      : run_(run),
        rings_(run.transport.segment->rings()),
        publication_(run.program.publications.data() + sharing.first_publication),
        last_publication_(publication_ + sharing.publications),
        take_(run.program.takes.data() + sharing.first_take),
        last_take_(take_ + sharing.takes),
        element_(static_cast<std::size_t>(run.unit.contiguous ? run.unit.extent : type_size(run.unit.type))),
        outgoing_(elements_in_a_piece()),
        incoming_(elements_in_a_piece()) {
    if (publication_ != last_publication_) outgoing_.begin(publication_->data);
    if (take_ != last_take_) incoming_.begin(take_->into);
  }

  int carry_out() {
    Segment::Patience patience(*run_.transport.segment);
    while (true) {
      const bool published = publication_ != last_publication_ && publish();
      const bool taken = take_ != last_take_ && take();
      if (publication_ == last_publication_ && take_ == last_take_) return error_;
      if (published || taken) {
        patience.begin();
      } else {
        patience.wait();
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t elements_in_a_piece() const {
    return static_cast<std::int64_t>(SharedRings::chunk_bytes / std::max<std::size_t>(1, element_));
  }
  void keep(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  /// Memory for one piece, packed, and for its elements with their gaps.
  char* spare(std::size_t bytes) {
    if (spare_ == nullptr) {
      const std::size_t of_elements = run_.unit.span(elements_in_a_piece()).bytes;
      spare_.reset(new (std::nothrow) char[SharedRings::chunk_bytes + of_elements]);
      if (spare_ == nullptr) keep(MPI_ERR_NO_MEM);
    }
    return spare_ == nullptr ? nullptr : spare_.get() + bytes;
  }

  bool publish() {
    const Extent piece = outgoing_.current();
    const std::size_t bytes = static_cast<std::size_t>(piece.count) * element_;
    const char* data = run_.at(piece);
    if (!run_.unit.contiguous && piece.count > 0) {
      char* const packed = spare(0);
      if (packed != nullptr) keep(pack(data, piece.count, run_.unit.type, packed));
      data = packed != nullptr ? packed : data;  // any bytes after an error: readers wait for as many
    }
    const bool is_last = outgoing_.is_last();
    if (!rings_.publish(run_.program.readers_of(*publication_), {data, bytes, is_last})) return false;
    outgoing_.next();
    if (is_last && ++publication_ != last_publication_) outgoing_.begin(publication_->data);
    return true;
  }

  bool take() {
    const SharedRings::Piece piece = rings_.next(take_->peer);
    if (piece.data == nullptr) return false;
    Extent into = incoming_.current();
    const std::size_t expected = static_cast<std::size_t>(into.count) * element_;
    if (piece.bytes > expected) keep(MPI_ERR_TRUNCATE);
    if (piece.bytes < expected) into.count = static_cast<std::int64_t>(piece.bytes / element_);
    if (into.count > 0) put(piece.data, into);
    rings_.taken(take_->peer);
    incoming_.next();
    if (piece.is_last && ++take_ != last_take_) incoming_.begin(take_->into);
    return true;
  }

  void put(const char* data, const Extent& piece) {
    char* const into = run_.at(piece);
    const bool combines = take_->kind == Take::Kind::combine;
    if (!combines && run_.unit.contiguous) {
      std::memcpy(into, data, static_cast<std::size_t>(piece.count) * element_);
    } else if (!combines) {
      keep(unpack(data, into, piece.count, run_.unit.type));
    } else if (run_.unit.contiguous) {
      keep(pmpi.Reduce_local(data, into, static_cast<int>(piece.count), run_.unit.type, run_.op));
    } else if (char* const elements = spare(SharedRings::chunk_bytes); elements != nullptr) {
      char* const first = elements + run_.unit.span(piece.count).before;
      keep(unpack(data, first, piece.count, run_.unit.type));
      keep(pmpi.Reduce_local(first, into, static_cast<int>(piece.count), run_.unit.type, run_.op));
    }
  }

  const Running& run_;
  SharedRings& rings_;
  const BoundPublication* publication_;
  const BoundPublication* last_publication_;
  const BoundTake* take_;
  const BoundTake* last_take_;
  std::size_t element_;  ///< bytes of its data
  Pieces outgoing_;
  Pieces incoming_;
  std::unique_ptr<char[]> spare_;
  int error_ = MPI_SUCCESS;
};

}  // namespace

int StepExecutor<Sharing>::carry_out(const Running& run, const Step& step) {
  return OneSharing(run, run.program.sharing_of(step)).carry_out();
}

}  // namespace starling
