#include "patterns/halo_set.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "neighborhood/implementation.hpp"
#include "neighborhood/rounds.hpp"
#include "runtime/exchange/halo.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling::patterns {
namespace {

namespace halo = starling::neighborhood;

/// What the first one-sided exchange probably takes more than another, whatever it exchanges.
constexpr double seconds_to_make_windows = 1e-3;

/// The attributes of the implementations: the numbers of their values are those of the enumerations.
std::shared_ptr<const AttributeSet> attributes_of_table() {
  static const auto only = [] {
    const auto attribute = [](const char* name, const auto& value_names) {
      std::vector<int> values;
      for (std::size_t i = 0; i < value_names.size(); ++i) values.push_back(static_cast<int>(i));
      return std::make_shared<Attribute>(name, values,
                                         std::vector<std::string>(value_names.begin(), value_names.end()));
    };
    auto set = std::make_shared<AttributeSet>();
    set->attributes = {attribute("partners", halo::partners_names), attribute("handling", halo::handling_names),
                       attribute("transfer", halo::transfer_names)};
    return set;
  }();
  return only;
}

std::vector<int> values_of(const halo::Implementation& one) {
  return {static_cast<int>(one.partners), static_cast<int>(one.handling), static_cast<int>(one.transfer)};
}

void require_fit(const Topology& topology, const Vector& vector, const char* which) {
  if (vector.map().kind != Map::Kind::halo)
    throw Fault(Error::map, std::string("the ") + which + " vector has no halo; its map must tell the width of one");
  if (vector.dimensions() != topology.dimensions())
    throw Fault(Error::dimensions,
                std::string("the ") + which + " vector has " + std::to_string(vector.dimensions()) +
                    " dimensions, and the topology " + std::to_string(topology.dimensions()) +
                    "; they must be equal: what is not distributed belongs into the values of an element");
  if (vector.dimensions() > halo::most_dimensions)
    throw Fault(Error::dimensions,
                "halos are exchanged in at most " + std::to_string(halo::most_dimensions) + " dimensions");
}

halo::HaloArray array_of(const Vector& vector) {
  halo::HaloArray array{.dimensions = vector.dimensions(), .width = vector.map().halo};
  std::copy(vector.shape().extents.begin(), vector.shape().extents.end(), array.cells.begin());
  if (const std::string why = halo::mistake_in(array); !why.empty()) throw Fault(Error::halo, why);
  return array;
}

/// The vector in memory. In Fortran's order the values of an element are one more, slowest dimension, which no box
/// divides.
halo::HaloData data_of(const Vector& vector, halo::HaloArray array) {
  const int values = std::max(1, vector.shape().values);
  const bool is_fortran = vector.shape().order == Order::fortran;
  if (is_fortran && values > 1) {
    array.cells[static_cast<std::size_t>(array.dimensions++)] = values;
    array.width = 0;  // the new dimension has no halo; of the others the boxes tell
  }
  return {.data = vector.data(),
          .array = array,
          .values = is_fortran ? 1 : values,
          .type = vector.shape().type,
          .order = vector.shape().order};
}

/// Boxes of an array that has one more dimension, all of it.
void extend(std::vector<halo::Box>& boxes, const Vector& vector) {
  if (vector.shape().order != Order::fortran || vector.shape().values <= 1) return;
  for (halo::Box& one : boxes) one.size[static_cast<std::size_t>(vector.dimensions())] = vector.shape().values;
}

halo::Grid grid_of(const Topology& topology) {
  halo::Grid grid{.dimensions = topology.dimensions()};
  std::vector<int> place(static_cast<std::size_t>(grid.dimensions));
  require(pmpi.Cart_get(topology.comm(), grid.dimensions, grid.ranks.data(), grid.periodic.data(), place.data()),
          "MPI_Cart_get");
  return grid;
}

/// A grid, and a rank of it that has neighbours on the same sides as this one: boxes depend on nothing else.
std::pair<halo::Grid, int> place_like(const std::vector<Sides>& sides) {
  halo::Grid grid{.dimensions = static_cast<int>(sides.size())};
  int rank = 0;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const int before = sides[d].left == MPI_PROC_NULL ? 0 : 1;
    grid.ranks[d] = before + 1 + (sides[d].right == MPI_PROC_NULL ? 0 : 1);
    rank = (rank * grid.ranks[d]) + before;
  }
  return {grid, rank};
}

/// Adds the rounds of some links, which begin when those before have ended.
void add_stage(halo::Rounds& rounds, const std::vector<halo::Link>& links, const Topology& topology) {
  const halo::Rounds stage = halo::rounds_on(links, topology.ranks(), topology.rank());
  if (stage.all.empty()) return;
  rounds.all.insert(rounds.all.end(), stage.all.begin(), stage.all.end());
  rounds.stage_ends.push_back(static_cast<int>(rounds.all.size()));
}

/// The neighbours that all ranks give, by both readings of their lists.
class NeighboursOfAll {
 public:
  /// Collective.
  explicit NeighboursOfAll(const Topology& topology)
      : ranks_(topology.ranks()), sides_(2 * static_cast<std::size_t>(topology.dimensions())) {
    std::vector<int> mine;
    for (const std::vector<Sides>& reading : topology.readings()) {
      for (const Sides& one : reading) mine.insert(mine.end(), {one.left, one.right});
      if (reading.empty()) mine.insert(mine.end(), sides_, impossible);
    }
    all_.resize(mine.size() * static_cast<std::size_t>(ranks_));
    require(pmpi.Allgather(mine.data(), static_cast<int>(mine.size()), handles.int_, all_.data(),
                           static_cast<int>(mine.size()), handles.int_, topology.comm()),
            "MPI_Allgather");
  }

  [[nodiscard]] int at(std::size_t reading, int rank, std::size_t side) const {
    return all_[(((static_cast<std::size_t>(rank) * 2) + reading) * sides_) + side];
  }
  /// The first reading by which all are neighbours of each other, or else the first that is possible on all ranks.
  [[nodiscard]] std::size_t reading() const {
    for (const std::size_t one : {0U, 1U})
      if (is_possible(one) && mistake_in(one).empty()) return one;
    for (const std::size_t one : {0U, 1U})
      if (is_possible(one)) return one;
    throw Fault(Error::topology, "some ranks give right neighbours where other ranks give flips");
  }
  /// A neighbour that is none the other way round; empty if there is none.
  [[nodiscard]] std::string mistake_in(std::size_t reading) const {
    for (std::size_t side = 0; side < sides_; ++side) {
      const auto back = static_cast<std::size_t>(halo::opposite(static_cast<int>(side)));
      for (int rank = 0; rank < ranks_; ++rank) {
        const int other = at(reading, rank, side);
        if (other != MPI_PROC_NULL && at(reading, other, back) != rank)
          return "in dimension " + std::to_string(side / 2) + " rank " + std::to_string(other) +
                 " is a neighbour of rank " + std::to_string(rank) + ", but not the other way round; give both";
      }
    }
    return {};
  }

 private:
  static constexpr int impossible = std::numeric_limits<int>::min();  // no rank, and no number of MPI's for none

  [[nodiscard]] bool is_possible(std::size_t reading) const {
    for (int rank = 0; rank < ranks_; ++rank)
      if (sides_ > 0 && at(reading, rank, 0) == impossible) return false;
    return true;
  }

  int ranks_;
  std::size_t sides_;
  std::vector<int> all_;
};

/// The pattern on a grid whose neighbours the program has given: the ranks tell each other theirs.
halo::HaloPattern pattern_of_sides(const Topology& topology, const halo::HaloArray& send,
                                   const halo::HaloArray& receive) {
  const auto dimensions = static_cast<std::size_t>(topology.dimensions());
  const NeighboursOfAll neighbours(topology);
  const std::size_t reading = neighbours.reading();
  if (const std::string mistake = neighbours.mistake_in(reading); !mistake.empty())
    throw Fault(Error::topology, mistake);
  const halo::Corners corners = topology.has_corners() ? halo::Corners::by_dimension : halo::Corners::none;
  halo::HaloPattern pattern;
  std::vector<halo::Link> links;
  for (std::size_t side = 0; side < 2 * dimensions; ++side) {
    for (int rank = 0; rank < topology.ranks(); ++rank) {
      const int other = neighbours.at(reading, rank, side);
      if (other != MPI_PROC_NULL)
        links.push_back({rank, static_cast<int>(side), other, halo::opposite(static_cast<int>(side))});
    }
    // Corners travel dimension by dimension: the links of each are a stage.
    const bool ends_stage = side % 2 == 1 && (corners != halo::Corners::none || side + 1 == 2 * dimensions);
    if (ends_stage) add_stage(pattern.rounds, std::exchange(links, {}), topology);
  }
  pattern.rounds.sends = pattern.rounds.receives = static_cast<int>(2 * dimensions);
  const auto [grid, place] = place_like(topology.readings()[reading]);
  for (const halo::Direction& direction : halo::directions(topology.dimensions(), corners)) {
    pattern.sends.push_back(halo::box_to_send(send, grid, place, direction, corners));
    pattern.receives.push_back(halo::box_to_receive(receive, grid, place, direction, corners));
  }
  return pattern;
}

/// Leaves out what is sent to the other side: blocks to the left have even numbers.
void keep_sides(halo::HaloPattern& pattern, HaloSides sides) {
  if (sides == HaloSides::all) return;
  const int kept = sides == HaloSides::left ? 1 : 0;  // the parity of blocks that are sent
  for (halo::Round& one : pattern.rounds.all) {
    if (one.send >= 0 && one.send % 2 != kept) one.to = one.send = -1;
    if (one.receive >= 0 && one.receive % 2 == kept) one.from = one.receive = -1;
  }
}

/// The bytes of the vector where they are equal on all ranks, else -1.
std::int64_t bytes_of_all(const Topology& topology, std::int64_t bytes) {
  const std::int64_t bounds[2] = {bytes, -bytes};
  std::int64_t least[2] = {0, 0};
  require(pmpi.Allreduce(bounds, least, 2, handles.int64, handles.min, topology.comm()), "MPI_Allreduce");
  return least[0] == -least[1] ? bytes : -1;
}

class HaloExchanges final : public Implementations {
 public:
  HaloExchanges(const Data& data, HaloSides sides) : data_(data), sides_(sides) {
    if (topology().dimensions() == 0)
      throw Fault(Error::topology, "the topology has no dimensions; exchanging halos needs a grid");
    if (!data.send || !data.receive) throw Fault(Error::vector, "exchanging halos needs a vector");
    require_fit(topology(), *data.send, "send");
    require_fit(topology(), *data.receive, "receive");
    send_ = array_of(*data.send);
    receive_ = array_of(*data.receive);
    from_ = data_of(*data.send, send_);
    into_ = data_of(*data.receive, receive_);
  }

  void connect() override {
    halo::HaloPattern pattern =
        topology().is_cartesian()
            ? halo::halo_pattern(grid_of(topology()), topology().rank(),
                                 topology().has_corners() ? halo::Corners::by_dimension : halo::Corners::none, send_,
                                 receive_)
            : pattern_of_sides(topology(), send_, receive_);
    extend(pattern.sends, *data_.send);
    extend(pattern.receives, *data_.receive);
    keep_sides(pattern, topology().direction() == Direction::left_to_right   ? HaloSides::left
                        : topology().direction() == Direction::right_to_left ? HaloSides::right
                                                                             : sides_);
    std::string mistake;
    exchange_ = halo::HaloExchange::make(topology().comm(), pattern, from_, into_, mistake);
    if (!exchange_) throw Fault(Error::vector, mistake);
    bytes_ = bytes_of_all(topology(), data_.send->bytes());
  }

  [[nodiscard]] std::vector<Candidate> candidates() const override {
    std::vector<Candidate> all;
    const auto set = attributes_of_table();
    for (const halo::Implementation& one : halo::implementations()) {
      Candidate& candidate = all.emplace_back();
      candidate.name = one.name();
      candidate.group = std::string(halo::transfer_names.at(static_cast<std::size_t>(one.transfer)));
      const bool is_one_sided = halo::is_one_sided(one.transfer);
      candidate.kind = is_one_sided ? "one-sided" : "messages";
      if (is_one_sided) candidate.seconds_to_begin = seconds_to_make_windows;
      const std::vector<int> values = values_of(one);
      for (std::size_t i = 0; i < values.size(); ++i)
        candidate.attributes.emplace_back(set->attributes[i]->name,
                                          set->attributes[i]->value_names[static_cast<std::size_t>(values[i])]);
    }
    return all;
  }
  [[nodiscard]] std::vector<int> values(int function) const override {
    return values_of(halo::implementations()[static_cast<std::size_t>(function)]);
  }
  void describe(ContextRecord& key) const override {
    if (bytes_ >= 0) key.bytes = bytes_;
  }
  [[nodiscard]] bool is_there(int function) const override {
    return exchange_->is_prepared(static_cast<std::size_t>(function));
  }
  std::string refusal(int function) override { return exchange_->refusal(static_cast<std::size_t>(function)); }
  [[nodiscard]] bool splits(int /*function*/) const override { return true; }
  int begin(int function, Request& /*request*/) override {
    exchange_->start(static_cast<std::size_t>(function));
    return 0;
  }
  int progress(int /*function*/, Request& /*request*/, bool& complete) override {
    complete = exchange_->progress();
    return 0;
  }
  int finish(int /*function*/, Request& /*request*/) override { return exchange_->wait(); }
  void release_others(int /*kept*/) override { exchange_->release(); }

 private:
  [[nodiscard]] const Topology& topology() const { return *data_.topology; }

  Data data_;
  HaloSides sides_;
  halo::HaloArray send_;
  halo::HaloArray receive_;
  halo::HaloData from_;
  halo::HaloData into_;
  std::unique_ptr<halo::HaloExchange> exchange_;
  std::int64_t bytes_ = -1;
};

class HaloSet final : public FunctionSet {
 public:
  HaloSet(std::string name, HaloSides sides) : FunctionSet(std::move(name)), sides_(sides) {}
  [[nodiscard]] std::shared_ptr<const AttributeSet> attributes() const override { return attributes_of_table(); }
  [[nodiscard]] bool is_predefined() const override { return true; }

  [[nodiscard]] std::unique_ptr<Implementations> on(const Data& data) const override {
    return std::make_unique<HaloExchanges>(data, sides_);
  }

 private:
  HaloSides sides_;
};

}  // namespace

std::shared_ptr<FunctionSet> halo_set(std::string name, HaloSides sides) {
  return std::make_shared<HaloSet>(std::move(name), sides);
}

}  // namespace starling::patterns
