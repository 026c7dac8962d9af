// Any number of random collectives, each checked against its right result, which every rank knows from the seed:
// blocking and nonblocking ones in flight together, on communicators that are made and freed.
//
//   soak --seed S --calls N [--threads T] [--patience SECONDS]
//
// Rank 0 prints how many results were wrong, and by how many KiB the fullest rank's memory grew in the second half.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "soaked.hpp"
#include "watchdog.hpp"

namespace {

struct Options {
  std::uint64_t seed = 1;
  long calls = 10000;
  int threads = 1;
  int patience = 60;
};

Options parsed(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    const char* value = argv[i + 1];
    if (key == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (key == "--calls") options.calls = std::atol(value);
    if (key == "--threads") options.threads = std::atoi(value);
    if (key == "--patience") options.patience = std::atoi(value);
  }
  return options;
}

long resident_kib() {
  long pages = 0;
  std::ifstream file("/proc/self/statm");
  file >> pages >> pages;
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/// One thread's calls, on communicators made from `parent`.
class Soak {
 public:
  Soak(const Options& options, MPI_Comm parent, Watchdog::Lane& lane, std::uint64_t seed)
      : options_(options),
        lane_(lane),
        seed_(seed),
        dice_{seed},
        parent_(communicators::team_of(parent, "all", false)) {
    for (int i = 0; i < kept; ++i) teams_.push_back(new_team());
  }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;
  ~Soak() {
    while (!flying_.empty()) land(flying_.size() - 1);
    for (Team& team : teams_) release(team);
  }

  void run() {
    for (number_ = 0; number_ < options_.calls; ++number_) {
      if (number_ == options_.calls / 2) half_way_kib_ = resident_kib();
      if (dice_.one_in(lifetime)) replace(dice_.pick(places()));
      // Half of the calls are on all ranks, where there are enough of each key to try everything.
      const Team& team = dice_.one_in(2) ? parent_ : dice_.pick(teams_);
      make(team, dice_.next());
      while (flying_.size() > most_flying || (!flying_.empty() && own_.one_in(3)))
        land(static_cast<std::size_t>(own_.below(static_cast<int>(flying_.size()))));
    }
  }

  [[nodiscard]] int faults() const { return faults_; }
  [[nodiscard]] long half_way_kib() const { return half_way_kib_; }

 private:
  static constexpr int kept = 4;
  static constexpr int lifetime = 60;  ///< calls between two changes of a communicator, on average
  static constexpr std::size_t most_flying = 5;

  static const std::vector<int>& places() {
    static const std::vector<int> all{0, 1, 2, 3};
    return all;
  }

  Team new_team() {
    Team team = draw_team(parent_.comm, false, dice_);
    while (team.inter || !team.made) {
      release(team);
      team = draw_team(parent_.comm, false, dice_);
    }
    return team;
  }

  void replace(int place) {
    Team& team = teams_[static_cast<std::size_t>(place)];
    lane_.doing("changing a communicator before call " + std::to_string(number_));
    for (std::size_t i = flying_.size(); i-- > 0;)
      if (flying_[i]->comm() == team.comm) land(i);
    release(team);
    team = new_team();
  }

  void make(const Team& team, std::uint64_t seed) {
    if (!team.member()) return;
    Dice dice{seed};
    const auto operation = static_cast<Operation>(dice.below(static_cast<int>(operation_names.size())));
    const std::vector<int> sizes{0, 1, 4, 4, 30, 30, 200};  // few, so that keys repeat
    const int items = dice.pick(sizes);
    const auto form = static_cast<Form>(dice.one_in(3) ? dice.below(forms) : 0);
    const bool in_place = dice.one_in(4);
    auto made = std::make_unique<Soaked>(operation, items, in_place, form, team, operators_, seed);
    lane_.doing("call " + std::to_string(number_) + ": " + made->name());
    made->start();
    flying_.push_back(std::move(made));
    if (form != Form::nonblocking) land(flying_.size() - 1);
  }

  /// Waits for a call and checks its result.
  void land(std::size_t index) {
    const auto fault = flying_[index]->finish();
    if (fault && ++faults_ <= 5)
      std::fprintf(stderr, "FAULT seed %llu call %ld: %s: %s\n", static_cast<unsigned long long>(seed_), number_,
                   flying_[index]->name().c_str(), fault->c_str());
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  const Options& options_;
  Watchdog::Lane& lane_;
  std::uint64_t seed_;
  Dice dice_;
  Team parent_;
  Dice own_{seed_, static_cast<std::uint64_t>(parent_.world_rank)};
  Operators operators_;
  std::vector<Team> teams_;
  std::vector<std::unique_ptr<Soaked>> flying_;
  long number_ = 0;
  long half_way_kib_ = 0;
  int faults_ = 0;
};

struct Result {
  std::atomic<int> faults = 0;
  std::atomic<long> half_way_kib = 0;
};

void soak(const Options& options, MPI_Comm parent, Watchdog::Lane& lane, std::uint64_t seed, Result& result) {
  {
    Soak one(options, parent, lane, seed);
    one.run();
    lane.doing("waiting for the last calls");
    result.faults += one.faults();
    result.half_way_kib = one.half_way_kib();
  }
  lane.idle();
}

void in_threads(const Options& options, Watchdog& watchdog, Result& result) {
  std::vector<MPI_Comm> parents(static_cast<std::size_t>(options.threads));
  for (auto& parent : parents) PMPI_Comm_dup(MPI_COMM_WORLD, &parent);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < parents.size(); ++i)
    running.emplace_back(
        [&, i, lane = &watchdog.lane()] { soak(options, parents[i], *lane, options.seed * 64 + i, result); });
  for (auto& thread : running) thread.join();
  for (auto& parent : parents) PMPI_Comm_free(&parent);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parsed(argc, argv);
  int provided;
  MPI_Init_thread(&argc, &argv, options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Result result;
  {
    Watchdog watchdog(rank, std::chrono::seconds(options.patience));
    if (options.threads > 1)
      in_threads(options, watchdog, result);
    else
      soak(options, MPI_COMM_WORLD, watchdog.lane(), options.seed, result);
  }
  const int faults = result.faults;
  const long more = resident_kib() - result.half_way_kib;
  int all_faults;
  long most_more;
  PMPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(&more, &most_more, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%ld calls, %d wrong, %ld KiB more\n", options.calls, all_faults, most_more);
  std::fflush(stdout);
  MPI_Finalize();
  return all_faults ? 1 : 0;
}
