#include "runtime/exchange/halo.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling::neighborhood {
namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

std::int64_t cell_bytes(const HaloData& data) {
  return data.values * type_size(data.type);
}

/// What a neighbour needs to know of a block at the other end of a link.
struct BlockThere {
  PerDimension cells;  ///< of the array
  Box box;
  int dimensions;
  int order;
  int nothing;  ///< 0, in place of what would be sent unset
  std::int64_t cell_bytes;
  std::int64_t into_window;  ///< where the array begins in its window
};
constexpr int words_of_block = sizeof(BlockThere) / sizeof(int);
static_assert(sizeof(BlockThere) % sizeof(int) == 0 && std::has_unique_object_representations_v<BlockThere>);

std::string shape_of_box(const Box& box, int dimensions) {
  std::string text;
  for (int d = 0; d < dimensions; ++d) text += (d == 0 ? "" : " x ") + std::to_string(box.size[index(d)]);
  return text + " cells";
}

std::string mistake_in(const HaloData& data) {
  if (data.values < 1) return "a cell has " + std::to_string(data.values) + " values; it must have 1 or more";
  if (data.type == handles.datatype_null) return "the datatype of a cell's values is MPI_DATATYPE_NULL";
  return {};
}

MPI_Aint bytes_of(const HaloData& data) {
  MPI_Aint cells = data.values;
  for (int d = 0; d < data.array.dimensions; ++d) cells *= data.array.cells[index(d)];
  return cells * Unit::of(data.type).extent;
}

/// A private communicator of the same ranks, without the application's attributes; the null communicator if there is
/// none left. MPICH 5.0's MPI_Comm_create never returns where `comm` is a grid of some ranks of another communicator.
MPI_Comm duplicate(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm made = handles.comm_null;
  if (pmpi.Comm_rank(comm, &rank) != MPI_SUCCESS) return made;
  if (pmpi.Comm_split(comm, 0, rank, &made) != MPI_SUCCESS) made = handles.comm_null;
  if (made != handles.comm_null) pmpi.Comm_set_errhandler(made, handles.errors_return);
  return made;
}

}  // namespace

HaloPattern halo_pattern(const Grid& grid, int rank, Corners corners, const HaloArray& send, const HaloArray& receive) {
  HaloPattern pattern{rounds_on(grid, rank, corners), {}, {}};
  for (const Direction& direction : directions(grid.dimensions, corners)) {
    pattern.sends.push_back(box_to_send(send, grid, rank, direction, corners));
    pattern.receives.push_back(box_to_receive(receive, grid, rank, direction, corners));
  }
  return pattern;
}

std::unique_ptr<HaloExchange> HaloExchange::make(MPI_Comm comm, const HaloPattern& pattern, const HaloData& send,
                                                 const HaloData& receive, std::string& mistake) {
  const MPI_Comm own = duplicate(comm);
  if (own == handles.comm_null) {
    mistake = "the MPI library has no communicator left for the exchange";
    return nullptr;
  }
  int rank = 0;
  pmpi.Comm_rank(own, &rank);
  std::unique_ptr<HaloExchange> made(new HaloExchange(own, rank, pattern.rounds));
  constexpr const char* elsewhere = "the arrays of another rank do not fit; it tells why";
  mistake = made->describe_blocks(pattern, send, receive);
  if (!made->all(mistake.empty())) {
    if (mistake.empty()) mistake = elsewhere;
    return nullptr;
  }
  mistake = made->learn_from_neighbours(pattern, send, receive);
  if (!made->all(mistake.empty())) {
    if (mistake.empty()) mistake = elsewhere;
    return nullptr;
  }
  made->one_buffer_ = made->all(send.data == receive.data);
  return made;
}

HaloExchange::HaloExchange(MPI_Comm comm, int rank, Rounds rounds)
    : comm_(comm), rank_(rank), rounds_(std::move(rounds)), prepared_(implementations().size()) {}

HaloExchange::~HaloExchange() {
  release();
  for (MPI_Datatype& type : types_) pmpi.Type_free(&type);
  pmpi.Comm_free(&comm_);
}

void HaloExchange::release() {
  prepared_.clear();
  prepared_.resize(implementations().size());
  current_ = nullptr;
  windows_.release();
}

bool HaloExchange::all(bool ok) const {
  int here = ok ? 1 : 0;
  int everywhere = 0;
  return pmpi.Allreduce(&here, &everywhere, 1, handles.int_, handles.min, comm_) == MPI_SUCCESS && everywhere == 1;
}

MPI_Datatype HaloExchange::keep(MPI_Datatype type) {
  pmpi.Type_commit(&type);
  types_.push_back(type);
  return type;
}

/// A box of an array: as elements that follow each other, or as a subarray.
Piece HaloExchange::piece_of_box(const Box& box, const HaloData& data) {
  const std::int64_t bytes = cell_bytes(data);
  const bool plain = is_plain(data.type);
  const BoxInMemory in_memory = lines_of(box, data.array, bytes, data.order);
  if (plain && in_memory.lines.is_one()) {
    const std::int64_t size = type_size(data.type);
    return piece_of(in_memory.start, size == 0 ? 0 : in_memory.lines.bytes / size, data.type);
  }
  MPI_Datatype cell = data.type;
  if (data.values > 1) {
    pmpi.Type_contiguous(data.values, data.type, &cell);
    cell = keep(cell);
  }
  MPI_Datatype made{};
  pmpi.Type_create_subarray(data.array.dimensions, data.array.cells.data(), box.size.data(), box.from.data(),
                            data.order == Order::c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, cell, &made);
  Piece piece = piece_of(0, 1, keep(made));
  if (plain) {
    piece.lines = in_memory.lines;
    piece.lines_at = in_memory.start;
  }
  return piece;
}

std::string HaloExchange::describe_blocks(const HaloPattern& pattern, const HaloData& send, const HaloData& receive) {
  for (const HaloData* const one : {&send, &receive}) {
    if (std::string wrong = one->array.width == 0 ? "" : mistake_in(one->array); !wrong.empty()) return wrong;
    if (std::string wrong = mistake_in(*one); !wrong.empty()) return wrong;
    if (one->data == nullptr) return "the array has no memory";
  }
  memory_.send_base = static_cast<char*>(send.data);
  memory_.receive_base = static_cast<char*>(receive.data);
  memory_.send_bytes = bytes_of(send);
  memory_.receive_bytes = bytes_of(receive);
  for (const Box& box : pattern.sends) memory_.sends.push_back(piece_of_box(box, send));
  for (const Box& box : pattern.receives) memory_.receives.push_back(piece_of_box(box, receive));
  return {};
}

/// Ranks tell the two ends of each link how the block lies in memory there: one-sided transfers need it, and it shows
/// whether arrays fit together.
std::string HaloExchange::learn_from_neighbours(const HaloPattern& pattern, const HaloData& send,
                                                const HaloData& receive) {
  const std::size_t count = rounds_.all.size();
  struct Told {
    std::vector<BlockThere> ours, theirs;
  };
  Told sent{std::vector<BlockThere>(count), std::vector<BlockThere>(count)};
  Told received = sent;
  std::vector<MPI_Request> requests;
  const auto exchange = [&](std::size_t number, int partner, const HaloData& data, const Box* box, Told& told, int tag,
                            int tag_of_theirs) {
    if (partner < 0) return;
    told.ours[number] = {
        data.array.cells,      *box, data.array.dimensions, static_cast<int>(data.order), 0, cell_bytes(data),
        into_window(data.data)};
    pmpi.Irecv(&told.theirs[number], words_of_block, handles.int_, partner, tag_of_theirs, comm_,
               &requests.emplace_back());
    pmpi.Isend(&told.ours[number], words_of_block, handles.int_, partner, tag, comm_, &requests.emplace_back());
  };
  requests.reserve(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const Round& round = rounds_.all[i];
    exchange(i, round.to, send, round.to < 0 ? nullptr : &pattern.sends[index(round.send)], sent, 1, 2);
    exchange(i, round.from, receive, round.from < 0 ? nullptr : &pattern.receives[index(round.receive)], received, 2,
             1);
  }
  for (MPI_Request& request : requests)
    if (pmpi.Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS) return "MPI could not exchange the shapes of the arrays";

  memory_.wanted_there.assign(count, {});
  memory_.sent_from_there.assign(count, {});
  std::string mistake;
  const auto take = [&](std::size_t number, int partner, const HaloData& data, const Told& told, Piece& there,
                        bool is_sent) {
    if (partner < 0 || !mistake.empty()) return;
    const BlockThere& ours = told.ours[number];
    const BlockThere& theirs = told.theirs[number];
    if (theirs.dimensions != ours.dimensions || theirs.box.size != ours.box.size) {
      mistake = "rank " + std::to_string(rank_) + (is_sent ? " sends " : " receives ") +
                shape_of_box(ours.box, ours.dimensions) + (is_sent ? " to rank " : " from rank ") +
                std::to_string(partner) + ", which " + (is_sent ? "receives " : "sends ") +
                shape_of_box(theirs.box, theirs.dimensions) + ": arrays and halos of neighbours must fit together";
    } else if (theirs.cell_bytes != ours.cell_bytes) {
      mistake = "a cell has " + std::to_string(ours.cell_bytes) + " bytes on rank " + std::to_string(rank_) + " and " +
                std::to_string(theirs.cell_bytes) + " on rank " + std::to_string(partner);
    } else {
      HaloData data_there = data;
      data_there.array.cells = theirs.cells;
      data_there.order = static_cast<Order>(theirs.order);
      there = piece_of_box(theirs.box, data_there);
      there.offset += theirs.into_window;
    }
  };
  for (std::size_t i = 0; i < count; ++i) {
    take(i, rounds_.all[i].to, send, sent, memory_.wanted_there[i], true);
    take(i, rounds_.all[i].from, receive, received, memory_.sent_from_there[i], false);
  }
  return mistake;
}

const std::string& HaloExchange::refusal(std::size_t number) {
  Prepared& one = prepared_[number];
  if (one.refusal) return *one.refusal;
  one.refusal.emplace();
  const Implementation& implementation = implementations()[number];
  auto exchange = std::make_unique<Exchange>(rounds_, rank_, implementation);
  if (is_one_sided(implementation.transfer)) {
    const bool gets = is_get(implementation.transfer);
    if (library_mixes_windows_up() && !all(!Windows::begin_in_another(memory_, gets, one_buffer_))) {
      one.refusal = "its array begins in the window of another one, and this MPI library mixes them up";
      return *one.refusal;
    }
    const int error = windows_.make(comm_, memory_, gets, one_buffer_, exchange->windows());
    if (!all(error == MPI_SUCCESS)) {
      one.refusal = "the MPI library makes no window for it";
      return *one.refusal;
    }
  }
  if (!all(exchange->prepare(memory_, &windows_, comm_) == MPI_SUCCESS)) {
    one.refusal = "a rank had no memory left for it";
    return *one.refusal;
  }
  one.exchange = std::move(exchange);
  return *one.refusal;
}

}  // namespace starling::neighborhood
