#include "runtime/communicator.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <numeric>

#include "generated/operations.hpp"
#include "runtime/features.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"

namespace starling {
namespace {

/// Private communicators a rank may hold. MPICH has 2046 in all, and the application wants most of them.
constexpr int most_private_communicators = 128;

/// Goes up whenever a communicator is freed, so that what threads remember of it is not believed any more.
std::atomic<std::uint64_t> generation{1};

MPI_Op operator_of_samples() {
  switch (state().settings.samples) {
    case SampleReduction::max: return handles.max;
    case SampleReduction::min: return handles.min;
    default: return handles.sum;
  }
}

/// The ranks of `comm` in MPI_COMM_WORLD; MPI_UNDEFINED for one that another MPI_COMM_WORLD brought in.
std::vector<int> ranks_in_world(MPI_Comm comm, int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> in_world(ranks.size());
  MPI_Group group{};
  MPI_Group world{};
  pmpi.Comm_group(comm, &group);
  pmpi.Comm_group(handles.comm_world, &world);
  pmpi.Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
  pmpi.Group_free(&world);
  pmpi.Group_free(&group);
  return in_world;
}

/// What `all` says of each rank; nothing where it says nothing of one: what is negative, or of another world.
std::optional<std::vector<int>> of_each(std::span<const int> in_world, std::span<const int> all) {
  std::vector<int> each;
  for (const int rank : in_world) {
    each.push_back(rank == MPI_UNDEFINED || all.empty() ? -1 : all[static_cast<std::size_t>(rank)]);
    if (each.back() < 0) return std::nullopt;
  }
  return each;
}

}  // namespace

/// The communicator a thread used last: spares the attribute's look-up.
struct Remembered {
  MPI_Comm handle;
  Communicator* communicator;
  std::uint64_t generation;
};

Communicator* Communicator::of(MPI_Comm comm) {
  STARLING_OF_THREAD Remembered last{{}, nullptr, 0};
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (last.generation == now && last.handle == comm) return last.communicator;
  if (comm == handles.comm_null) return nullptr;
  void* attribute = nullptr;
  int found = 0;
  if (pmpi.Comm_get_attr(comm, state().keyval, static_cast<void*>(&attribute), &found) != MPI_SUCCESS) return nullptr;
  if (found == 0) {
    auto* made = new Communicator(comm);
    attribute = made;
    if (pmpi.Comm_set_attr(comm, state().keyval, attribute) != MPI_SUCCESS) {
      delete made;
      return nullptr;
    }
    const std::lock_guard lock(state().guard);
    state().communicators.insert(made);
  }
  last = {comm, static_cast<Communicator*>(attribute), now};
  return last.communicator;
}

int Communicator::forget(MPI_Comm /*comm*/, int /*keyval*/, void* attribute, void* /*extra*/) {
  auto* gone = static_cast<Communicator*>(attribute);
  generation.fetch_add(1, std::memory_order_acq_rel);
  {
    State& now = state();
    const std::lock_guard lock(now.guard);
    if (now.communicators.erase(gone) == 0) return MPI_SUCCESS;
    gone->add_records(now.finished);
  }
  gone->free_private();
  delete gone;
  return MPI_SUCCESS;
}

Communicator::Communicator(MPI_Comm comm) : handle_(comm), work_(handles.comm_null), counted_(operation_count, 0) {
  int inter = 0;
  pmpi.Comm_test_inter(comm, &inter);
  inter_ = inter != 0;
  pmpi.Comm_rank(comm, &rank_);
  pmpi.Comm_size(comm, &size_);
  if (inter_) return;
  // By what all ranks know since MPI_Init.
  const State& now = state();
  const std::vector<int> in_world = ranks_in_world(comm, size_);
  foreign_ = std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end();
  if (auto nodes = of_each(in_world, now.nodes)) spread_ = spread_over(std::move(*nodes));
  if (!now.platform) return;
  if (const auto hosts = of_each(in_world, now.hosts)) tree_ = now.platform->tree(*hosts);
}

Communicator::~Communicator() = default;

void Communicator::free_private() {
  int freed = 0;
  for (auto& [group, comm] : groups_) {
    if (comm == handles.comm_null) continue;
    pmpi.Comm_free(&comm);
    ++freed;
  }
  groups_.clear();
  if (has_work_) {
    pmpi.Comm_free(&work_);
    ++freed;
  }
  has_work_ = false;
  const std::lock_guard lock(state().guard);
  state().private_communicators -= freed;
}

const Communicator::Known* Communicator::know(const Call& call) {
  Table& table = tables_[static_cast<std::size_t>(call.collective)];
  if (table.latest.is_like(call)) return &table.known;
  table.latest.forget();
  if (inter_ || foreign_ || !facts_of(call, size_, rank_, table.known.facts)) return nullptr;
  table.known.facts.situation.tree = tree();
  table.known.context = &context(table.known.facts);
  table.latest.keep(call, rank_);
  return &table.known;
}

Context& Communicator::context(const Facts& facts) {
  Table& table = tables_[static_cast<std::size_t>(facts.situation.collective)];
  Context* const last = table.known.context;
  if (last != nullptr && last->key() == facts.key) return *last;
  const auto find = [&](const CallKey& key) {
    const auto found =
        std::find_if(table.contexts.begin(), table.contexts.end(), [&](const auto& one) { return one->key() == key; });
    return found == table.contexts.end() ? nullptr : found->get();
  };
  Context* context = find(facts.key);
  if (context == nullptr) {
    Facts wanted = facts;
    // One size may have several keys: they differ in the operator, or in MPI_IN_PLACE.
    const bool new_size = std::none_of(table.contexts.begin(), table.contexts.end(), [&](const auto& one) {
      return !one->key().bucket && one->key().bytes == facts.key.bytes;
    });
    if (new_size && table.exact_sizes >= state().settings.exact_sizes) {
      wanted.key = bucket_of(facts.key);
      context = find(wanted.key);
    }
    if (context == nullptr) {
      if (new_size && !wanted.key.bucket) ++table.exact_sizes;
      context = table.contexts.emplace_back(std::make_unique<Context>(wanted, *this)).get();
    }
  }
  return *context;
}

std::optional<MPI_Comm> Communicator::work() {
  if (has_work_) return work_;
  int held = 0;
  {
    const std::lock_guard lock(state().guard);
    held = state().private_communicators;
  }
  if (!all(held < most_private_communicators)) return std::nullopt;
  // Not MPI_Comm_dup: that would call the copy functions of the application's attributes. That MPI has none left is no
  // error of the application's, whose handler would end the job or be told.
  MPI_Group group{};
  MPI_Errhandler handler{};
  pmpi.Comm_group(handle_, &group);
  pmpi.Comm_get_errhandler(handle_, &handler);
  pmpi.Comm_set_errhandler(handle_, handles.errors_return);
  MPI_Comm made = handles.comm_null;
  const bool ok = pmpi.Comm_create(handle_, group, &made) == MPI_SUCCESS && made != handles.comm_null;
  pmpi.Comm_set_errhandler(handle_, handler);
  pmpi.Errhandler_free(&handler);
  pmpi.Group_free(&group);
  if (!all(ok)) {
    if (ok) pmpi.Comm_free(&made);
    return std::nullopt;
  }
  pmpi.Comm_set_errhandler(made, handles.errors_return);
  work_ = made;
  has_work_ = true;
  const std::lock_guard lock(state().guard);
  ++state().private_communicators;
  return work_;
}

std::optional<MPI_Comm> Communicator::of_group(const Group& group) {
  if (group.size == size_ && group.stride == 1) return work();
  for (const auto& [known, comm] : groups_) {
    if (known != group) continue;
    if (comm == handles.comm_null) return std::nullopt;
    return comm;
  }
  std::vector<int> ranks;
  for (int i = 0; i < group.size; ++i) ranks.push_back(group.rank(i));
  MPI_Group everyone{};
  MPI_Group some{};
  pmpi.Comm_group(work_, &everyone);
  pmpi.Group_incl(everyone, group.size, ranks.data(), &some);
  MPI_Comm made = handles.comm_null;
  if (pmpi.Comm_create_group(work_, some, 0, &made) != MPI_SUCCESS) made = handles.comm_null;
  pmpi.Group_free(&some);
  pmpi.Group_free(&everyone);
  groups_.emplace_back(group, made);
  if (made == handles.comm_null) return std::nullopt;
  const std::lock_guard lock(state().guard);
  ++state().private_communicators;
  return made;
}

void Communicator::give_back_groups(std::size_t first) {
  for (std::size_t i = first; i < groups_.size(); ++i) {
    MPI_Comm& comm = groups_[i].second;
    if (comm == handles.comm_null) continue;
    pmpi.Comm_free(&comm);
    comm = handles.comm_null;
    const std::lock_guard lock(state().guard);
    --state().private_communicators;
  }
}

bool Communicator::all(bool ok) const {
  int mine = ok ? 1 : 0;
  int everyones = 0;
  const int error = pmpi.Allreduce(&mine, &everyones, 1, handles.int_, handles.min, has_work_ ? work_ : handle_);
  return error == MPI_SUCCESS && everyones == 1;
}

void Communicator::reduce(std::span<const double> local, std::vector<double>& agreed) const {
  agreed.resize(local.size());
  const int error = pmpi.Allreduce(local.data(), agreed.data(), static_cast<int>(local.size()), handles.double_,
                                   operator_of_samples(), has_work_ ? work_ : handle_);
  finish_reduction(error, agreed);
}

void Communicator::reduce_to_first(std::span<const double> local, std::vector<double>& agreed) const {
  agreed.resize(local.size());
  const int error = pmpi.Reduce(local.data(), agreed.data(), static_cast<int>(local.size()), handles.double_,
                                operator_of_samples(), 0, has_work_ ? work_ : handle_);
  finish_reduction(error, agreed);
}

void Communicator::finish_reduction(int error, std::vector<double>& agreed) const {
  if (error != MPI_SUCCESS) give_up("ranks could not agree on what they measured");
  if (state().settings.samples != SampleReduction::mean) return;
  for (double& value : agreed) value /= size_;
}

void Communicator::broadcast(std::vector<double>& numbers) const {
  const int error =
      pmpi.Bcast(numbers.data(), static_cast<int>(numbers.size()), handles.double_, 0, has_work_ ? work_ : handle_);
  if (error != MPI_SUCCESS) give_up("rank 0 could not tell what it chose");
}

void Communicator::give_up(const std::string& why) const {
  std::fprintf(stderr, "starling: rank %d of %d: %s; the job ends here\n", rank_, size_, why.c_str());
  pmpi.Abort(handle_, 1);
  std::abort();
}

void Communicator::add_records(std::vector<ContextRecord>& records) const {
  if (rank_ != 0) return;
  const auto add = [&](ContextRecord record) {
    if (record.calls == 0) return;
    const auto same =
        std::find_if(records.begin(), records.end(), [&](const ContextRecord& one) { return same_key(one, record); });
    if (same == records.end()) {
      records.push_back(std::move(record));
    } else {
      fold(*same, record);
    }
  };
  for (const Table& table : tables_)
    for (const auto& context : table.contexts) add(context->record());
  const auto add_count = [&](std::string_view name, std::int64_t calls) {
    ContextRecord record;
    record.collective = std::string(name);
    record.ranks = size_;
    record.calls = calls;
    record.stage = "pass-through";
    record.winner = "native";
    record.candidates.emplace_back().name = "native";
    add(std::move(record));
  };
  for (std::size_t i = 0; i < counted_.size(); ++i) add_count(operation_names[i], counted_[i]);
  for (std::size_t i = 0; i < passed_.size(); ++i) add_count(collective_names[i], passed_[i]);
}

}  // namespace starling
