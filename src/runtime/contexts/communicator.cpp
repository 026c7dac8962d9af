#include "runtime/contexts/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "messages/fingerprint.hpp"
#include "runtime/call/emptiness.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/gpu.hpp"
#include "runtime/mpi/mark_in_name.hpp"
#include "runtime/mpi/of_thread.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "tuning/size_bucket.hpp"

namespace starling {
namespace {

/// Goes up whenever a communicator is freed, which invalidates what threads remember.
std::atomic<std::uint64_t> generation{1};

/// How many states of communicators were made.
std::atomic<std::uint64_t> made{0};

/// The communicators that this thread is freeing, the innermost last: a delete function may free others. The program
/// may give a communicator another name meanwhile.
struct BeingFreed {
  struct Named {
    MPI_Comm comm;
    std::string name;  ///< without the mark
  };
  std::vector<Named> comms;
};

std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int length = 0;
  return pmpi.Comm_get_name(comm, name.data(), &length) == MPI_SUCCESS ? name.data() : "";
}

bool has_mark(MPI_Comm comm) {
  const std::string name = name_of(comm);
  return !name.empty() && name.back() == being_freed;
}

bool is_being_freed(MPI_Comm comm) {
  const auto& here = of_thread<BeingFreed>().comms;
  return std::any_of(here.begin(), here.end(), [&](const auto& one) { return one.comm == comm; }) || has_mark(comm);
}

void mark_as_being_freed(MPI_Comm comm) {
  if (has_mark(comm)) return;
  const std::string name = name_of(comm).substr(0, MPI_MAX_OBJECT_NAME - 2) + being_freed;
  pmpi.Comm_set_name(comm, name.c_str());
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  pmpi.Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  pmpi.Comm_size(comm, &size);
  return size;
}

/// A number for a sequence of ranks.
std::uint64_t hash_of(std::span<const int> ranks) {
  Fingerprint hash;
  for (const int rank : ranks) hash.add(static_cast<std::uint64_t>(rank));
  return hash.value();
}

}  // namespace

std::optional<std::vector<int>> values_of_ranks(std::span<const int> in_world, std::span<const int> all) {
  std::vector<int> each;
  for (const int rank : in_world) {
    each.push_back(rank == MPI_UNDEFINED || all.empty() ? -1 : all[static_cast<std::size_t>(rank)]);
    if (each.back() < 0) return std::nullopt;
  }
  return each;
}

std::optional<Places> places_of_ranks(std::span<const int> in_world) {
  const auto nodes = values_of_ranks(in_world, setup().nodes);
  const auto domains = values_of_ranks(in_world, setup().domains);
  if (!nodes || !domains) return std::nullopt;
  return Places(*nodes, *domains);
}

/// A communicator that a thread used, to avoid looking up the attribute.
struct Remembered {
  MPI_Comm handle;
  Communicator* communicator;
  std::uint64_t generation;
};

/// The cache place of a communicator: programs alternate between a few.
std::size_t place_of(MPI_Comm comm, std::size_t places) {
  std::uint64_t handle = 0;
  std::memcpy(&handle, &comm, sizeof comm);
  return static_cast<std::size_t>((handle * 0x9e3779b97f4a7c15U) >> 48U) % places;
}

/// What a communicator has as Starling's attribute.
struct Attribute {
  Communicator* communicator = nullptr;  ///< nullptr if it has none
  std::optional<int> refused;            ///< what MPI returned if the handle is none of a communicator
};

/// After an error handler that returns, MPICH returns success: the handle is valid if MPI says whether it found one.
Attribute attribute_of(MPI_Comm comm) {
  void* attribute = nullptr;
  constexpr int not_told = -1;
  int found = not_told;
  const int error = pmpi.Comm_get_attr(comm, setup().keyval, static_cast<void*>(&attribute), &found);
  if (error != MPI_SUCCESS || found == not_told) return {.refused = error};
  return {.communicator = found != 0 ? static_cast<Communicator*>(attribute) : nullptr};
}

Communicator* Communicator::of(MPI_Comm comm, std::optional<int>& refused) {
  auto& used = of_thread<std::array<Remembered, 128>>();
  Remembered& remembered = used[place_of(comm, used.size())];
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (remembered.generation == now && remembered.handle == comm) return remembered.communicator;
  if (comm == handles.comm_null) return nullptr;
  const Attribute attribute = attribute_of(comm);
  refused = attribute.refused;
  if (refused) return nullptr;
  Communicator* state = attribute.communicator;
  if (state == nullptr) {
    if (is_being_freed(comm)) return nullptr;
    const OwnWork work;
    auto* made = new Communicator(comm);
    state = made;
    if (pmpi.Comm_set_attr(comm, setup().keyval, made) != MPI_SUCCESS) {
      delete made;
      return nullptr;
    }
    const std::scoped_lock lock(setup().guard);
    setup().communicators.insert(made);
  }
  remembered = {comm, state, now};
  return state;
}

std::optional<int> Communicator::before_free(MPI_Comm comm) {
  if (comm == handles.comm_null || comm == handles.comm_world || comm == handles.comm_self) return std::nullopt;
  const Attribute attribute = attribute_of(comm);
  if (attribute.refused) return attribute.refused;
  of_thread<BeingFreed>().comms.push_back({comm, name_of(comm)});
  if (attribute.communicator != nullptr) pmpi.Comm_delete_attr(comm, setup().keyval);
  mark_as_being_freed(comm);
  return std::nullopt;
}

void Communicator::after_free(MPI_Comm comm, bool failed) {
  auto& here = of_thread<BeingFreed>().comms;
  if (here.empty() || here.back().comm != comm) return;
  if (failed && has_mark(comm)) pmpi.Comm_set_name(comm, here.back().name.c_str());
  here.pop_back();
}

int Communicator::forget(MPI_Comm comm, int /*keyval*/, void* attribute, void* /*extra*/) {
  const OwnWork work;
  auto* gone = static_cast<Communicator*>(attribute);
  generation.fetch_add(1, std::memory_order_acq_rel);
  {
    Setup& now = setup();
    const std::scoped_lock lock(now.guard);
    if (now.communicators.erase(gone) == 0) return MPI_SUCCESS;
    if (now.profile) gone->add_to(now.profile->finished);
    gone->leave(now.finished, now.remains);
  }
  delete gone;
  mark_as_being_freed(comm);
  return MPI_SUCCESS;
}

Communicator::Communicator(MPI_Comm comm)
    : handle_(comm), made_at_(freed()), number_(made.fetch_add(1)), resources_(comm, rank_of(comm), size_of(comm)) {
  int inter = 0;
  pmpi.Comm_test_inter(comm, &inter);
  inter_ = inter != 0;
  if (inter_) return;
  // From what all ranks agreed on in MPI_Init.
  const Setup& now = setup();
  const std::vector<int> in_world = ranks_in_world(comm, size());
  foreign_ = std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end();
  if (now.profile) group_ = hash_of(in_world);
  if (!now.platform) return;
  if (const auto hosts = values_of_ranks(in_world, now.hosts)) tree_ = now.platform->tree(*hosts);
}

/// Made for the first call that may be tuned: it has memory for each rank.
const Places* Communicator::places() {
  if (!has_looked_for_places_) {
    has_looked_for_places_ = true;
    const OwnWork work;
    const std::vector<int> in_world = ranks_in_world(handle_, size());
    places_ = places_of_ranks(in_world);
    const auto sharing = values_of_ranks(in_world, setup().sharing);
    shares_processors_ =
        places_ && places_->nodes() == 1 && sharing && std::find(sharing->begin(), sharing->end(), 1) != sharing->end();
  }
  return places_ ? &*places_ : nullptr;
}

void Communicator::count_pass_through(int operation) {
  PassedThrough& passed = passed_through();
  ++passed.by_operation[static_cast<std::size_t>(operation)];
  if (!process().concurrent) setup().latest.not_followed();
  const auto& profile = setup().profile;
  if (!profile || !profile->order) return;
  std::int16_t& number = passed.in_order[static_cast<std::size_t>(operation)];
  if (number == 0) number = static_cast<std::int16_t>(profile->order->number_of({operation, size(), -1}) + 1);
  const double now = Clock::now();
  profile->order->follow(number - 1, now, now);
}

const Communicator::FoundCall* Communicator::look_up(const Call& call, std::optional<Call>& whole) {
  auto& of_collective = tables_[static_cast<std::size_t>(call.collective)];
  if (!of_collective) of_collective = std::make_unique<Table>();
  Table& table = *of_collective;
  if (table.latest.matches(call)) {
    table.unmatched = 0;
    return &table.known;
  }
  table.latest.forget();
  if (inter_ || foreign_ || is_alone(table)) return nullptr;
  if (!facts_of(call, size(), rank(), table.known.facts)) {
    whole = with_all_arguments(call, size(), rank());
    if (!whole || !facts_of(*whole, size(), rank(), table.known.facts)) return nullptr;
  }
  table.known.facts.situation.tree = tree();
  table.known.facts.situation.places = places();
  table.known.context = &context(table.known.facts);
  // Where calls take turns none comes twice in a row, and to keep each would cost more than it saves.
  constexpr std::uint32_t some = 8;
  if (++table.unmatched < some || table.unmatched % some == 0) table.latest.keep(whole ? *whole : call, rank());
  table.known.facts.alike = ++table.kinds_of_calls;
  return &table.known;
}

Context& Communicator::context(const Facts& facts) {
  Table& table = *tables_[static_cast<std::size_t>(facts.situation.collective)];
  Context* const last = table.known.context;
  if (last != nullptr && last->key() == facts.key) return *last;
  if (Context* const exact = table.by_key.find(facts.key)) return *exact;
  Facts wanted = facts;
  // One size may have several keys: they differ in the operator, or in MPI_IN_PLACE.
  const auto here = std::lower_bound(table.exact_sizes.begin(), table.exact_sizes.end(), facts.key.bytes);
  const bool new_size = here == table.exact_sizes.end() || *here != facts.key.bytes;
  if (new_size && std::ssize(table.exact_sizes) >= setup().settings.exact_sizes) {
    wanted.key.bucket = true;
    if (facts.key.bytes >= 0) {
      const auto& edges = setup().size_edges[static_cast<std::size_t>(facts.situation.collective)];
      const SizeBucket bucket = bucket_of(facts.key.bytes, edges);
      wanted.key.bytes = bucket.from;
      wanted.key.up_to = bucket.up_to;
    }
    if (Context* const bucket = table.by_key.find(wanted.key)) return *bucket;
  }
  const OwnWork work;
  if (!wanted.key.bucket && new_size) table.exact_sizes.insert(here, facts.key.bytes);
  Context* const context = table.contexts.emplace_back(std::make_unique<Context>(wanted, *this, table.chosen)).get();
  table.by_key.add(*context);
  Setup& now = setup();
  const std::scoped_lock lock(now.guard);
  now.remains.add_one_to(now.finished);
  return *context;
}

/// A single rank has nothing to tune, but a forced algorithm works.
bool Communicator::is_alone(const Table& table) const {
  return size() == 1 && !setup().strategy->forces && !table.chosen;
}

void Communicator::choose(Collective collective, const std::optional<Way>& way) {
  auto& table = tables_[static_cast<std::size_t>(collective)];
  if (!table) table = std::make_unique<Table>();
  if (table->chosen && way && table->chosen->name() == way->name()) return;
  if (table->chosen) {
    for (const auto& context : table->contexts) {
      context->release(*this);
      Setup& now = setup();
      const std::scoped_lock lock(now.guard);
      if (rank() == 0) now.finished.add_chosen(*context);
      if (now.profile) context->add_to(now.profile->finished, as_profiled());
    }
    table = std::exchange(table->set_aside, nullptr);
  }
  if (!way) return;
  auto chosen = std::make_unique<Table>();
  chosen->chosen = way;
  chosen->set_aside = std::move(table);
  table = std::move(chosen);
}

Interned Communicator::refusal_of_chosen(Collective collective) const {
  const auto& table = tables_[static_cast<std::size_t>(collective)];
  if (!table || !table->chosen) return {};
  if (table->known.context == nullptr) return "only the MPI library can carry out calls here";
  return table->known.context->refusal_of_chosen();
}

Channel* Communicator::channel() {
  return resources_.channel(setup().experience.knows(size()));
}

std::string Communicator::refusal_of_buffers(Collective collective) {
  if (collective == Collective::barrier || setup().settings.host_buffers) return {};
  // Ranks do not know where each other's buffers lie, but they can agree whether any rank may use GPU memory.
  return resources_.channel()->all(!has_gpu_runtime())
             ? ""
             : "a rank has a GPU runtime in its process, so that buffers may lie in GPU memory";
}

std::optional<double> Communicator::predicted(const Way& way, const Situation& situation) {
  auto& network = setup().network;
  if (!network || inter_ || foreign_) return std::nullopt;
  const std::optional<Bound> bound = way.predicted_as();
  if (!bound) return std::nullopt;
  if (in_world_.empty()) in_world_ = ranks_in_world(handle_, size());
  return network->seconds(*bound, situation, in_world_);
}

double Communicator::setup_seconds(const Way& way) {
  constexpr double usual = 1e-3;
  constexpr double in_turns = 5e-3;  // ranks that share processors wait for each other's turn
  const auto seconds = [&](Experience::Made what) {
    return setup().experience.setup_seconds(what).value_or(shares_processors() ? in_turns : usual);
  };
  const double of_memory =
      way.shares_memory() && resources_.segment() == nullptr ? seconds(Experience::Made::memory) : 0;
  return of_memory + (way.communicators() > 0 ? seconds(Experience::Made::communicators) : 0);
}

void Communicator::learn_setup(const Way& way, double seconds) {
  if (way.shares_memory() == (way.communicators() > 0)) return;  // nobody knows what of it took how long
  setup().experience.learn_setup(way.shares_memory() ? Experience::Made::memory : Experience::Made::communicators,
                                 seconds);
}

double Communicator::predicted_to_begin(const Way& way, const Situation& situation) const {
  const auto& network = setup().network;
  const auto* bound = way.scheduled();
  return network && bound != nullptr && way.communicators() > 0 ? network->seconds_to_begin(*bound, situation) : 0;
}

std::optional<double> Communicator::seconds_to_measure() {
  constexpr double between_nodes = 0.05;
  constexpr double on_one_node = 0.01;  // with the predictions and first trials that follow: half of it
  const Setup& now = setup();
  const Places* const here = places();
  if (now.network || now.measure_network == nullptr || inter_ || foreign_ || here == nullptr) return std::nullopt;
  if (here->spread().nodes > 1) return between_nodes;
  // Ranks of one node learn nothing of a job's network.
  const bool is_whole_job = std::count(now.nodes.begin(), now.nodes.end(), now.nodes.front()) == std::ssize(now.nodes);
  return is_whole_job ? std::optional(on_one_node) : std::nullopt;
}

void Communicator::measure_network() {
  setup().measure_network(ranks_in_world(handle_, size()), *resources_.channel(false));
}

std::uint64_t Communicator::freed() {
  return generation.load(std::memory_order_relaxed);
}

bool Communicator::lives_since(const Communicator* communicator, std::uint64_t freed) {
  Setup& now = setup();
  const std::scoped_lock lock(now.guard);
  const auto found = now.communicators.find(const_cast<Communicator*>(communicator));
  return found != now.communicators.end() && (*found)->made_at_ <= freed;
}

void Communicator::add_passed_through(Happened& happened) const {
  if (!passed_through_) return;
  const auto& by_operation = passed_through_->by_operation;
  for (std::size_t i = 0; i < by_operation.size(); ++i) happened.add(operation_names[i], size(), by_operation[i]);
}

void Communicator::add_to(Happened& happened) const {
  if (rank() != 0) return;
  add_passed_through(happened);
  for (const auto& of_collective : tables_) {
    for (const Table* table = of_collective.get(); table != nullptr; table = table->set_aside.get())
      for (const auto& context : table->contexts)
        table->chosen ? happened.add_chosen(*context) : happened.add(*context);
  }
}

void Communicator::leave(Happened& happened, Remains& remains) {
  if (rank() != 0) return;
  add_passed_through(happened);
  for (const auto& of_collective : tables_) {
    for (Table* table = of_collective.get(); table != nullptr; table = table->set_aside.get())
      for (auto& context : table->contexts) remains.take(std::move(context), table->chosen.has_value());
  }
  remains.reduce(happened);
}

/// This rank, for the calls of one context.
CallsOfRank Communicator::as_profiled() const {
  return {.rank = process().rank, .is_first = rank() == 0, .group = group_};
}

void Communicator::add_to(ProfileSum& profile) const {
  for (const auto& of_collective : tables_)
    for (const Table* table = of_collective.get(); table != nullptr; table = table->set_aside.get())
      for (const auto& context : table->contexts) context->add_to(profile, as_profiled());
}

}  // namespace starling
