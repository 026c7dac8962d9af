#include "runtime/execution/steps/sharing.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <span>

#include "runtime/mpi/patience.hpp"
#include "runtime/mpi/plain_sum.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "runtime/mpi/unit.hpp"
#include "shared_memory/copying.hpp"
#include "shared_memory/rings.hpp"

namespace starling {
namespace {

/// Bytes that are read at a time of what stays in place and is combined: few calls of the system, and the processor's
/// cache keeps them.
constexpr std::size_t bytes_in_place = 65536;
static_assert(bytes_in_place >= SharedRings::chunk_bytes);

std::int64_t elements_in(std::size_t bytes, std::size_t element) {
  return static_cast<std::int64_t>(bytes / std::max<std::size_t>(1, element));
}

/// Memory for data in pieces, of which some are done. What has no data is one piece.
class Pieces {
 public:
  explicit Pieces(std::int64_t most) : most_(most) {}
  /// From now on pieces have so many elements at most.
  void limit(std::int64_t most) { most_ = most; }
  void begin(const Extent& data) {
    left_ = data.count;
    first_ = data.first;
    buffer_ = data.buffer;
  }
  [[nodiscard]] Extent current() const { return {buffer_, first_, std::min(left_, most_)}; }
  /// All that is not done.
  [[nodiscard]] Extent rest() const { return {buffer_, first_, left_}; }
  [[nodiscard]] bool is_last() const { return left_ <= most_; }
  /// Goes on to the next piece, which is empty behind the last one.
  void next() {
    const std::int64_t done = std::min(left_, most_);
    first_ += done;
    left_ -= done;
  }
  /// Elements in a piece.
  [[nodiscard]] std::int64_t most() const { return most_; }
  /// Leaves out what is behind the next `count` elements.
  void end_after(std::int64_t count) { left_ = std::min(left_, count); }

 private:
  std::int64_t most_;
  std::int64_t left_ = 0;
  std::int64_t first_ = 0;
  std::int32_t buffer_ = 0;
};

/// One sharing of a program, carried out. What lies in shared memory are the elements' bytes without gaps.
class OneSharing {
 public:
  OneSharing(const Running& run, const BoundSharing& sharing, std::size_t element, std::int64_t most)
      : run_(run),
        rings_(*run.transport.rings),
        first_publication_(run.program.publications.data() + sharing.first_publication),
        publication_(first_publication_),
        last_publication_(publication_ + sharing.publications),
        take_(run.program.takes.data() + sharing.first_take),
        last_take_(take_ + sharing.takes),
        element_(element),
        outgoing_(most),
        incoming_(most) {
    if (publication_ != last_publication_) outgoing_.begin(publication_->data);
    if (take_ != last_take_) incoming_.begin(take_->into);
  }

  /// As `carry_out`, for elements without gaps of which all that is published or taken at a time fits in a slot: no
  /// publication has to wait where none of the slots is in use, and nothing goes in pieces.
  int carry_out_small() {
    while (publication_ != last_publication_ &&
           rings_.publish(run_.program.readers_of(*publication_),
                          {run_.at(publication_->data), bytes_of(publication_->data), true}))
      publication_over();
    if (publication_ != last_publication_) return carry_out();
    Patience patience;
    while (take_ != last_take_) {
      const auto found = rings_.next(take_->peer);
      if (!found) {
        if (patience.wait()) look_for_others();
        continue;
      }
      if (found->bytes != bytes_of(take_->into) || !found->is_last) return carry_out();  // in a wrong program
      if (found->bytes > 0) put(found->here, take_->into);
      take_over();
      patience.begin();
    }
    return error_;
  }

  int carry_out() {
    Patience patience;
    while (true) {
      const bool published = publication_ != last_publication_ && publish();
      const bool taken = take_ != last_take_ && take();
      const bool answered = in_place_ && rings_.is_needed() && (rings_.answer() || help());
      if (publication_ == last_publication_ && take_ == last_take_ && !(in_place_ && rings_.is_needed())) return error_;
      if (published || taken || answered) {
        patience.begin();
      } else if (patience.wait()) {
        look_for_others();
      }
    }
  }

 private:
  void keep(int error) {
    if (error_ == MPI_SUCCESS) error_ = error;
  }
  /// Bytes of the largest piece that this rank reads of what stays in place.
  [[nodiscard]] std::size_t piece_in_place() const {
    return run_.unit.contiguous ? bytes_in_place : SharedRings::chunk_bytes;
  }
  /// Memory for one piece, packed.
  char* spare() { return room(spare_, piece_in_place()); }
  /// Memory for the elements of any piece that is taken, with their gaps, which may be large.
  char* spare_elements() {
    std::int64_t most = 0;
    for (const BoundTake* one = take_; one != last_take_; ++one) most = std::max(most, one->into.count);
    return room(spare_elements_, run_.unit.span(std::min(most, incoming_.most())).bytes);
  }
  char* room(std::unique_ptr<char[]>& memory, std::size_t bytes) {
    if (memory == nullptr) {
      memory.reset(new (std::nothrow) char[bytes]);
      if (memory == nullptr) keep(MPI_ERR_NO_MEM);
    }
    return memory.get();
  }

  [[nodiscard]] std::size_t bytes_of(const Extent& data) const {
    return static_cast<std::size_t>(data.count) * element_;
  }
  void publication_over() {
    if (++publication_ != last_publication_) outgoing_.begin(publication_->data);
  }
  void take_over() {
    rings_.taken(take_->peer);
    if (++take_ != last_take_) incoming_.begin(take_->into);
  }

  [[nodiscard]] bool stays_in_place(std::span<const std::int32_t> readers) const {
    return run_.unit.contiguous &&
           publication_->may_stay_in_place(static_cast<std::int64_t>(bytes_of(publication_->data))) &&
           outgoing_.current().first == publication_->data.first && rings_.may_stay_in_place(readers);
  }

  bool publish() {
    const auto readers = run_.program.readers_of(*publication_);
    if (stays_in_place(readers)) {
      if (!rings_.publish_in_place(readers, run_.at(publication_->data), bytes_of(publication_->data))) return false;
      in_place_ = true;
      publication_over();
      return true;
    }
    const Extent piece = outgoing_.current();
    const std::size_t bytes = bytes_of(piece);
    const char* data = run_.at(piece);
    if (!run_.unit.contiguous && piece.count > 0) {
      char* const packed = spare();
      if (packed != nullptr) keep(pack(data, piece.count, run_.unit.type, packed));
      data = packed != nullptr ? packed : data;  // any bytes after an error: readers wait for as many
    }
    const bool is_last = outgoing_.is_last();
    if (!rings_.publish(readers, {data, bytes, is_last})) return false;
    outgoing_.next();
    if (is_last) publication_over();
    return true;
  }

  /// Copies for a reader, once this rank has nothing else to publish or take.
  bool help() { return take_ == last_take_ && publication_ == last_publication_ && rings_.help(); }

  bool take() {
    if (asking_) return take_answer();
    if (copying_) return take_copy();
    const auto found = rings_.next(take_->peer);
    if (!found) return false;
    if (found->here == nullptr) {
      if (found->bytes > bytes_of(incoming_.rest())) keep(MPI_ERR_TRUNCATE);
      incoming_.end_after(static_cast<std::int64_t>(found->bytes / element_));
      there_ = found->in_place;
      take_from_place();
      return true;
    }
    Extent into = incoming_.current();
    if (found->bytes > bytes_of(into)) keep(MPI_ERR_TRUNCATE);
    if (found->bytes < bytes_of(into)) into.count = static_cast<std::int64_t>(found->bytes / element_);
    if (into.count > 0) put(found->here, into);
    incoming_.next();
    if (found->is_last) {
      take_over();
    } else {
      rings_.taken(take_->peer);
    }
    return true;
  }

  /// Takes what lies at `there_`, as far as it can be read.
  void take_from_place() {
    const std::size_t bytes = bytes_of(incoming_.rest());
    if (!is_plain() || bytes < SharedRings::least_together || bytes > JointCopy::most_bytes) return take_in_pieces();
    copied_ = rings_.copy(take_->peer, there_, run_.at(incoming_.rest()), bytes);
    copying_ = true;
    take_copy();
  }

  /// Whether the bytes that are taken go as they are into the buffer.
  [[nodiscard]] bool is_plain() const { return take_->operands() == 0 && run_.unit.contiguous; }

  /// Ends a copy that the publisher may have helped with.
  bool take_copy() {
    if (!rings_.is_copied(take_->peer)) return false;
    copying_ = false;
    if (copied_ && rings_.was_helped(take_->peer)) {
      take_over();
    } else {
      take_in_pieces();
    }
    return true;
  }

  void take_in_pieces() {
    incoming_.limit(elements_in(piece_in_place(), element_));
    while (true) {
      const Extent piece = incoming_.current();
      const std::size_t bytes = bytes_of(piece);
      char* const into = is_plain() ? run_.at(piece) : spare();
      if (into != nullptr && rings_.read(take_->peer, there_, into, bytes) != bytes) {
        incoming_.limit(elements_in(SharedRings::chunk_bytes, element_));
        rings_.ask(take_->peer, there_, bytes_of(incoming_.current()));
        asking_ = true;
        return;
      }
      if (into != nullptr && !is_plain()) put(into, piece);
      there_ += bytes;
      if (incoming_.is_last()) break;
      incoming_.next();
    }
    incoming_.limit(elements_in(SharedRings::chunk_bytes, element_));
    take_over();
  }

  /// Ends the job if one of those that this rank waits for has ended.
  void look_for_others() {
    if (take_ != last_take_) look_for(take_->peer);
    if (publication_ != last_publication_)
      for (const std::int32_t reader : run_.program.readers_of(*publication_)) look_for(reader);
    for (const BoundPublication* one = first_publication_; in_place_ && one != publication_; ++one)
      for (const std::int32_t reader : run_.program.readers_of(*one))
        if (rings_.is_needed_by(reader)) look_for(reader);
  }

  /// One that has ended may have done its part just before: then this rank goes on, and does not look again.
  void look_for(std::int32_t peer) {
    if (!rings_.has_ended(peer)) return;
    if (ended_ == peer) end_without(peer);
    ended_ = peer;
  }

  [[noreturn]] void end_without(std::int32_t peer) const {
    std::fprintf(stderr, "starling: rank %d: rank %d has ended in the middle of a call; the job ends here\n",
                 process().rank, run_.transport.peers[peer]);
    end_job();
  }

  /// Takes a piece that could not be read, and goes on with the next one.
  bool take_answer() {
    const char* const data = rings_.answer_of(take_->peer);
    if (data == nullptr) return false;
    const Extent piece = incoming_.current();
    put(data, piece);
    rings_.heard(take_->peer);
    asking_ = false;
    there_ += bytes_of(piece);
    if (incoming_.is_last()) {
      take_over();
    } else {
      incoming_.next();
      take_in_pieces();
    }
    return true;
  }

  /// Takes a piece, of which `data` are the bytes, with what its operands have for it.
  void put(const char* data, const Extent& piece) {
    char* const into = run_.at(piece);
    const auto of = [&](const Extent& operand) {
      return run_.at({operand.buffer, operand.first + (piece.first - take_->into.first), piece.count});
    };
    const PlainSum sum = take_->operands() > 0 && run_.unit.contiguous ? plain_sum(run_.op, run_.unit.type) : nullptr;
    if (sum != nullptr) {
      const bool has_right = take_->right.count > 0;
      if (has_right) sum(data, of(take_->right), into, piece.count);
      if (take_->left.count > 0) sum(of(take_->left), has_right ? into : data, into, piece.count);
      return;
    }
    if (take_->right.count == 0) {
      put_alone(data, piece);
    } else {
      if (const char* const right = of(take_->right); right != into)
        keep(copy_elements(right, into, piece.count, run_.unit));
      combine(data, piece);
    }
    if (take_->left.count > 0) keep(reduce(of(take_->left), piece));
  }

  void put_alone(const char* data, const Extent& piece) {
    if (run_.unit.contiguous) {
      copy_from_others(run_.at(piece), data, bytes_of(piece));
    } else {
      keep(unpack(data, run_.at(piece), piece.count, run_.unit.type));
    }
  }
  void combine(const char* data, const Extent& piece) {
    if (run_.unit.contiguous) {
      keep(reduce(data, piece));
    } else if (char* const elements = spare_elements(); elements != nullptr) {
      char* const first = elements + run_.unit.span(piece.count).before;
      keep(unpack(data, first, piece.count, run_.unit.type));
      keep(reduce(first, piece));
    }
  }
  [[nodiscard]] int reduce(const char* left, const Extent& piece) const {
    return pmpi.Reduce_local(left, run_.at(piece), static_cast<int>(piece.count), run_.unit.type, run_.op);
  }

  const Running& run_;
  SharedRings& rings_;
  const BoundPublication* first_publication_;
  const BoundPublication* publication_;
  const BoundPublication* last_publication_;
  const BoundTake* take_;
  const BoundTake* last_take_;
  std::size_t element_;  ///< bytes of its data
  Pieces outgoing_;
  Pieces incoming_;
  std::uint64_t there_ = 0;  ///< where what is being taken lies in its publisher's process
  bool asking_ = false;      ///< for the current piece of that
  bool copying_ = false;     ///< all of that, together with its publisher
  bool copied_ = false;      ///< this rank's part
  std::int32_t ended_ = -1;  ///< a rank that was found to have
  bool in_place_ = false;    ///< something that this rank publishes
  std::unique_ptr<char[]> spare_;
  std::unique_ptr<char[]> spare_elements_;
  int error_ = MPI_SUCCESS;
};

}  // namespace

int StepExecutor<Sharing>::carry_out(const Running& run, const Step& step) {
  const BoundSharing& sharing = run.program.sharing_of(step);
  const auto element = static_cast<std::size_t>(run.unit.contiguous ? run.unit.extent : type_size(run.unit.type));
  if (run.unit.contiguous && static_cast<std::size_t>(sharing.most) * element <= SharedRings::most_in_slot)
    return OneSharing(run, sharing, element, sharing.most).carry_out_small();
  return OneSharing(run, sharing, element, elements_in(SharedRings::chunk_bytes, element)).carry_out();
}

}  // namespace starling
