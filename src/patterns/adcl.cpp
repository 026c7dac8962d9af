#include "patterns/adcl.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "messages/told.hpp"
#include "patterns/collective_requests.hpp"
#include "patterns/creation.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling::patterns::adcl {
namespace {

/// What all ADCL requests of the process share.
struct Shared {
  std::mutex guard;
  AdclConfiguration configuration;
  std::set<std::string> told;                              ///< sentences
  std::map<std::string, std::weak_ptr<Decider>> deciders;  ///< of requests that are tuned as one, by their shape
};

Shared& shared() {
  static Shared& only = *new Shared;
  return only;
}

/// What requests must have in common to be tuned as one.
std::string shape_of(const FunctionSet& set, const Data& data, const Implementations& implementations) {
  std::string shape = set.name() + " " + std::to_string(reinterpret_cast<std::uintptr_t>(&set)) + " " +
                      std::to_string(reinterpret_cast<std::uintptr_t>(data.topology.get())) + " " +
                      std::to_string(data.root) + " " + std::to_string(key_of(set, implementations).bytes.value_or(-1));
  for (const auto& vector : {data.send, data.receive}) {
    shape += " /";
    if (!vector) continue;
    for (const int extent : vector->shape().extents) shape += " " + std::to_string(extent);
    shape += " x " + std::to_string(vector->shape().values) + " x " + std::to_string(vector->bytes_of_value()) + " " +
             std::to_string(static_cast<int>(vector->map().kind)) + " " + std::to_string(vector->map().halo);
  }
  return shape;
}

/// The candidate that a configuration means by a name: its own, or one in the words of ADCL, "Allgatherv_ring".
const Candidate* meant(std::string_view name, std::string_view set, const std::vector<Candidate>& functions) {
  std::string plain(name);
  std::transform(plain.begin(), plain.end(), plain.begin(), [](unsigned char c) { return std::tolower(c); });
  if (plain.starts_with(std::string(set) + "_")) plain.erase(0, set.size() + 1);
  for (const std::string_view suffix : {"_sr", "_excl"})
    if (plain.ends_with(suffix)) plain.erase(plain.size() - suffix.size());
  const Candidate* found = nullptr;
  for (const Candidate& one : functions) {
    if (one.name.text() == name) return &one;
    if (found == nullptr && (one.name.text() == plain || one.name.text().starts_with(plain + "?"))) found = &one;
  }
  return found;
}

Choosing choosing_for(const FunctionSet& set, const std::vector<Candidate>& functions) {
  const AdclConfiguration& says = shared().configuration;
  const Settings& settings = setup().settings;
  // What the user has said for this run goes before what a file says for all.
  const bool is_of_run = !job().running || settings.strategy != Settings{}.strategy;
  const std::string_view search = strategy_of_search(says.search);
  Choosing choosing = choosing_by(is_of_run || !strategy_named(search) ? "" : search, set, functions);
  if (is_of_run) return choosing;
  if (says.tests) choosing.settings.iterations = *says.tests;
  choosing.settings.outlier_factor = says.outlier_factor.value_or(choosing.settings.outlier_factor);
  choosing.settings.outlier_fraction = says.outlier_fraction.value_or(choosing.settings.outlier_fraction);
  choosing.settings.factorial_threshold = says.factorial_threshold.value_or(choosing.settings.factorial_threshold);
  choosing.starts_from_history = says.learns_from_history;
  const auto selected = says.selections.find(set.name());
  if (selected == says.selections.end()) return choosing;
  if (const Candidate* const one = meant(selected->second, set.name(), functions)) {
    choosing.strategy = strategy_named("forced:" + one->name.text())->first;
    choosing.argument = one->name.text();
  } else {
    carried_out("config.adcl", Error::strategy,
                "the function set " + set.name() + " has no function '" + told(selected->second) +
                    "'; functions are tried as if none were selected");
  }
  return choosing;
}

std::vector<Sides> sides_of(int dimensions, const int* left, const int* right) {
  std::vector<Sides> sides;
  for (int i = 0; i < dimensions; ++i) sides.push_back({left[i], right[i]});
  return sides;
}

}  // namespace

int carried_out(const char* function, Error error, const std::string& sentence) {
  const int code = adcl_code(error);
  const std::scoped_lock lock(shared().guard);
  constexpr std::size_t most = 100;
  if (!sentence.empty() && shared().told.size() < most && shared().told.insert(function + sentence).second)
    std::fprintf(stderr, "starling: %s: %s\n", function, in_one_line(sentence).c_str());
  return code;
}

void initialise() {
  require_mpi();
  if (!job().running) return;
  std::optional<AdclFile> file;
  if (process().rank == 0) file = find_adcl_file(std::getenv("HOME"));
  auto length = static_cast<std::int64_t>(file ? file->text.size() : 0);
  require(pmpi.Bcast(&length, 1, handles.int64, 0, process().world), "MPI_Bcast");
  std::string text = file ? file->text : std::string();
  text.resize(static_cast<std::size_t>(length));
  require(pmpi.Bcast(text.data(), static_cast<int>(length), handles.char_, 0, process().world), "MPI_Bcast");
  shared().configuration = AdclConfiguration::read(text, [&](int line, const std::string& why) {
    if (file) print_notice(told(file->path) + ", line " + std::to_string(line) + ": " + why);
  });
}

Prepared prepare(std::shared_ptr<FunctionSet> set, Data data) {
  Prepared made{.set = std::move(set), .data = std::move(data), .implementations = {}, .functions = {}, .choosing = {}};
  made.implementations = made.set->on(made.data);
  made.functions = made.implementations->candidates();
  made.choosing = choosing_for(*made.set, made.functions);
  return made;
}

Handle keep_prepared(Prepared prepared) {
  auto& [set, data, implementations, functions, choosing] = prepared;
  implementations->connect();
  std::shared_ptr<Decider> decider;
  std::string shape;
  if (shared().configuration.merges_requests) {
    shape = shape_of(*set, data, *implementations);
    decider = shared().deciders[shape].lock();
  }
  if (!decider) {
    decider = std::make_shared<Decider>(
        Decider::Task{key_of(*set, *implementations), name_in_settings(*set), std::move(functions)}, data.topology,
        std::move(choosing));
    if (!shape.empty()) shared().deciders[shape] = decider;
  }
  return keep(
      std::make_shared<Request>(std::move(set), std::move(data), std::move(implementations), std::move(decider)));
}

std::shared_ptr<Map> halo_of(int width) {
  if (width < 0) throw Fault(Error::halo, "the width of the halo is negative");
  return std::make_shared<Map>(Map{.kind = Map::Kind::halo, .halo = width});
}

Map reduced_by(MPI_Op op) {
  require_mpi();
  if (op == handles.op_null) throw Fault(Error::op, "the operator is MPI_OP_NULL");
  return {.kind = Map::Kind::reduced, .op = op};
}

Vector::Shape shape_of(int ndims, const int* dims, int nc, std::shared_ptr<const Map> map, MPI_Datatype type,
                       Order order) {
  require_mpi();
  Vector::Shape shape{.values = nc, .map = std::move(map), .type = type, .order = order};
  if (shape.map->kind != Map::Kind::in_place) shape.extents = checked_extents(ndims, dims);
  return shape;
}

Handle make_collective(const Call& call, bool nonblocking) {
  require_mpi();
  const auto on = Topology::plain(call.comm);
  return keep_prepared(prepared_on_all(*on, [&] {
    return prepare(nonblocking ? nonblocking_set(call) : blocking_set(call), {.topology = on, .root = call.root});
  }));
}

Direction direction_of(int number) {
  if (number < 1 || number > 3)
    throw Fault(Error::direction, "the direction is " + std::to_string(number) +
                                      ", and not ADCL_DIRECTION_BOTH, _LEFT_TO_RIGHT or _RIGHT_TO_LEFT");
  return static_cast<Direction>(number);
}

std::shared_ptr<Topology> grid_of_sides(int dimensions, const int* left, const int* right, const int* coordinates,
                                        int direction, MPI_Comm comm) {
  require_mpi();
  if (dimensions < 0) throw Fault(Error::dimensions, "the number of dimensions is negative");
  const Direction to = direction_of(direction);
  if (comm == handles.comm_null) throw Fault(Error::communicator, "the communicator is MPI_COMM_NULL");
  if (dimensions == 0) return Topology::grid(std::vector<Sides>(), {}, to, false, comm);
  if (left == nullptr || right == nullptr || coordinates == nullptr)
    throw Fault(Error::argument, "the address of neighbours or coordinates is null");
  return Topology::grid(sides_of(dimensions, left, right), std::vector<int>(coordinates, coordinates + dimensions), to,
                        false, comm);
}

std::shared_ptr<Topology> grid_with_flips(int dimensions, int pairs, const int* left, const int* flips,
                                          const int* right, const int* coordinates, int direction, MPI_Comm comm) {
  if (dimensions < 1) return grid_of_sides(dimensions, left, right, coordinates, direction, comm);
  require_mpi();
  const Direction to = direction_of(direction);
  if (comm == handles.comm_null) throw Fault(Error::communicator, "the communicator is MPI_COMM_NULL");
  if (left == nullptr || flips == nullptr || right == nullptr || coordinates == nullptr)
    throw Fault(Error::argument, "the address of neighbours, flips or coordinates is null");
  if (pairs < dimensions)
    throw Fault(Error::argument, "there are " + std::to_string(pairs) + " pairs of neighbours, and " +
                                     std::to_string(dimensions) + " dimensions; each has one pair");
  const auto may_be_flips = [&](const int* values) {
    return std::all_of(values, values + dimensions, [](int one) { return one == 0 || one == 1; });
  };
  // Flips are 0 or 1, and so may be ranks.
  Readings readings;
  if (may_be_flips(right)) readings[1] = sides_of(dimensions, left, flips);
  if (may_be_flips(flips) || readings[1].empty()) readings[0] = sides_of(dimensions, left, right);
  const bool corners = pairs > dimensions && pairs == cartesian_pairs(dimensions, true);
  return Topology::grid(std::move(readings), std::vector<int>(coordinates, coordinates + dimensions), to, corners,
                        comm);
}

}  // namespace starling::patterns::adcl
