// Calls collectives through MPI_ and through PMPI_ with the same data and compares, in random cases that all ranks draw
// from one seed. Without Starling both are the same library, and the program tests itself.
//
//   differential --seed S --cases N [--mode mixed|repeat|late|churn|threads] [--favour LIST] [--patience SECONDS]
//                [--ways FILE]
//
// mixed: everything new in each case. repeat: few call keys, each many times. late: the same, and one rank enters each
// call late, by ten times the duration of cases. churn: a new communicator for each case. threads: three threads at
// once, each with a communicator of its own. With ways, each line of the file is a round: so many mixed cases for each
// way that is named there, most of them of these collectives by these ways, "bcast:binomial scan:pipeline".
// A job of many rounds starts once. Then a line for each way tells how many blocking calls among several ranks it
// carried out, and how many it refused: "bcast:binomial 17 2".
#include <mpi.h>
// starling.h needs what mpi.h declares.
#include <starling/starling.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cases.hpp"
#include "communicators.hpp"
#include "watchdog.hpp"

namespace {

/// Blocking calls of a way among several ranks, each counted on rank 0 of its communicator.
struct Tally {
  int carried_out = 0;
  int refused = 0;
};

/// The way of a collective in a round.
struct Chosen {
  Operation operation;
  std::string way;
  Tally tally{};
};

using Round = std::vector<Chosen>;

struct Options {
  std::uint64_t seed = 1;
  int cases = 200;
  std::string mode = "mixed";
  std::vector<Operation> favoured;
  int patience = 30;
  std::vector<Round> rounds;
};

/// Adds the operation of that name, if there is one.
void add_named(const std::string& name, std::vector<Operation>& operations) {
  for (std::size_t i = 0; i < operation_names.size(); ++i)
    if (operation_names[i] == name) operations.push_back(static_cast<Operation>(i));
}

std::vector<Round> rounds_in(const char* path) {
  std::vector<Round> rounds;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Round& round = rounds.emplace_back();
    std::istringstream items(line);
    for (std::string item; items >> item;) {
      const std::size_t colon = item.find(':');
      std::vector<Operation> named;
      add_named(item.substr(0, colon), named);
      if (named.size() != 1 || colon == std::string::npos) {
        std::fprintf(stderr, "%s: no way of a collective: %s\n", path, item.c_str());
        std::exit(2);
      }
      round.push_back({named.front(), item.substr(colon + 1)});
    }
  }
  if (rounds.empty()) {
    std::fprintf(stderr, "%s has no round\n", path);
    std::exit(2);
  }
  return rounds;
}

Options parsed(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    const char* value = argv[i + 1];
    if (key == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (key == "--cases") options.cases = std::atoi(value);
    if (key == "--mode") options.mode = value;
    if (key == "--patience") options.patience = std::atoi(value);
    if (key == "--ways") options.rounds = rounds_in(value);
    if (key != "--favour") continue;
    std::istringstream names(value);
    for (std::string name; std::getline(names, name, ',');) add_named(name, options.favoured);
  }
  return options;
}

/// A sequence of cases on communicators made from one parent.
class Session {
 public:
  Session(const Options& options, MPI_Comm parent, Watchdog::Lane& lane, std::uint64_t seed)
      : parent_(parent), lane_(lane), seed_(seed), dice_{seed}, favoured_(options.favoured) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
  }

  /// The same, by those ways, whose tallies it keeps.
  Session(const Options& options, MPI_Comm parent, Watchdog::Lane& lane, std::uint64_t seed, Round& ways)
      : Session(options, parent, lane, seed) {
    ways_ = &ways;
    favoured_.clear();
    for (const Chosen& one : ways) favoured_.push_back(one.operation);
  }

  void mixed(int cases, int most_on_one_communicator, bool shared_self) {
    while (number_ < cases) {
      lane_.doing("making a communicator before case " + std::to_string(number_));
      Team team = draw_team(parent_, shared_self, dice_);
      if (team.member() && !team.inter) choose(team);
      for (int left = dice_.between(1, most_on_one_communicator); left > 0; --left) {
        const Operation operation = team.inter ? on_intercommunicators() : any();
        const std::uint64_t shape = dice_.next();
        const std::uint64_t variation = dice_.next();
        Dice of_shape{shape};
        int ranks = 1;
        PMPI_Comm_size(parent_, &ranks);
        if (team.member()) run(draw_shape(operation, ranks, of_shape), team, variation);
        ++number_;
      }
      lane_.doing("freeing a communicator after case " + std::to_string(number_));
      release(team);
    }
  }

  /// `late` is the rank that comes late; none if there is no such rank.
  void repeat(int cases, int late) {
    late_ = late;
    Team team = communicators::team_of(parent_, "all ranks", false);
    std::vector<Shape> shapes;
    for (int i = 0; i < 8; ++i) shapes.push_back(draw_shape(any(), team.size, dice_));
    for (; number_ < cases; ++number_) run(dice_.pick(shapes), team, dice_.next());
  }

  /// Gives MPI_COMM_WORLD, which is not freed, back to the run's strategy.
  void choose_nothing() const {
    for (const Chosen& one : *ways_)
      starling_choose(MPI_COMM_WORLD, operation_names[static_cast<std::size_t>(one.operation)].data(), nullptr);
  }

  [[nodiscard]] int faults() const { return faults_; }
  [[nodiscard]] int number() const { return number_; }

 private:
  void choose(const Team& team) {
    if (ways_ == nullptr) return;
    for (const Chosen& one : *ways_) {
      const char* const collective = operation_names[static_cast<std::size_t>(one.operation)].data();
      if (starling_choose(team.comm, collective, one.way.c_str()) == 0) continue;
      ++faults_;
      std::fprintf(stderr, "FAULT seed %llu: no way %s:%s\n", static_cast<unsigned long long>(seed_), collective,
                   one.way.c_str());
    }
  }

  /// The way that was chosen for calls of an operation; null if there is none.
  [[nodiscard]] Chosen* chosen_for(Operation operation, const Team& team) {
    if (ways_ == nullptr || team.inter) return nullptr;
    for (Chosen& one : *ways_)
      if (one.operation == operation) return &one;
    return nullptr;
  }

  static void count(Chosen& chosen, const Team& team) {
    if (team.rank != 0 || team.size == 1) return;
    const char* const refusal =
        starling_refusal(team.comm, operation_names[static_cast<std::size_t>(chosen.operation)].data());
    ++(*refusal == '\0' ? chosen.tally.carried_out : chosen.tally.refused);
  }

  void run(const Shape& shape, const Team& team, std::uint64_t variation) {
    Case now(shape, team, operators_, variation);
    lane_.doing("case " + std::to_string(number_) + ": " + now.name());
    const double start = PMPI_Wtime();
    double waited = 0;
    const auto fault = now.run([&] {
      const double arrival = PMPI_Wtime();
      while (world_rank_ == late_ && waited < 10 * case_seconds_) waited = PMPI_Wtime() - arrival;
    });
    case_seconds_ = PMPI_Wtime() - start - waited;
    Chosen* const chosen = chosen_for(now.operation(), team);
    if (chosen != nullptr && now.blocks()) count(*chosen, team);
    if (fault && ++faults_ <= 5)
      std::fprintf(stderr, "FAULT seed %llu case %d world rank %d: %s%s: %s\n", static_cast<unsigned long long>(seed_),
                   number_, world_rank_, now.name().c_str(), chosen == nullptr ? "" : (" by " + chosen->way).c_str(),
                   fault->c_str());
  }

  Operation any() {
    if (!favoured_.empty() && !dice_.one_in(4)) return dice_.pick(favoured_);
    return static_cast<Operation>(dice_.below(static_cast<int>(operation_names.size())));
  }

  Operation on_intercommunicators() {
    constexpr std::array some{Operation::allgather, Operation::allreduce, Operation::alltoall, Operation::bcast,
                              Operation::barrier};
    return dice_.pick(some);
  }

  MPI_Comm parent_;
  Watchdog::Lane& lane_;
  std::uint64_t seed_;
  Dice dice_;
  std::vector<Operation> favoured_;
  Round* ways_ = nullptr;
  Operators operators_;
  int world_rank_ = 0;
  int late_ = -1;
  double case_seconds_ = 0;  ///< duration of the latest case, without the delay
  int number_ = 0;
  int faults_ = 0;
};

/// Three threads at once; returns the faults they found.
int threads(const Options& options, Watchdog& watchdog) {
  std::array<MPI_Comm, 3> parents;
  for (auto& parent : parents) PMPI_Comm_dup(MPI_COMM_WORLD, &parent);
  std::atomic<int> faults = 0;
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < parents.size(); ++i)
    running.emplace_back([&, i, lane = &watchdog.lane()] {
      Session session(options, parents[i], *lane, options.seed * 16 + i);
      session.mixed(options.cases, 6, false);
      lane->idle();
      faults += session.faults();
    });
  for (auto& thread : running) thread.join();
  for (auto& parent : parents) PMPI_Comm_free(&parent);
  return faults;
}

/// Rank 0 prints the tallies of all ranks.
void tell(const Round& round, int rank) {
  for (const Chosen& one : round) {
    const std::array mine{one.tally.carried_out, one.tally.refused};
    std::array<int, mine.size()> all{};
    PMPI_Reduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%s:%s %d %d\n", operation_names[static_cast<std::size_t>(one.operation)].data(), one.way.c_str(),
                  all[0], all[1]);
  }
}

/// The faults of all rounds on this rank.
int rounds(Options& options, Watchdog::Lane& lane, int rank) {
  int faults = 0;
  for (std::size_t i = 0; i < options.rounds.size(); ++i) {
    Session session(options, MPI_COMM_WORLD, lane, options.seed + i, options.rounds[i]);
    session.mixed(options.cases * static_cast<int>(options.rounds[i].size()), 6, true);
    session.choose_nothing();
    faults += session.faults();
    lane.doing("telling what ways did");
    tell(options.rounds[i], rank);
  }
  return faults;
}

int tested(Options& options, Watchdog& watchdog, int rank) {
  if (options.mode == "threads") return threads(options, watchdog);
  auto& lane = watchdog.lane();
  if (!options.rounds.empty()) return rounds(options, lane, rank);
  Session session(options, MPI_COMM_WORLD, lane, options.seed);
  if (options.mode == "repeat" || options.mode == "late")
    session.repeat(options.cases, options.mode == "late" ? 1 : -1);
  else
    session.mixed(options.cases, options.mode == "churn" ? 1 : 6, true);
  lane.doing("counting faults");
  return session.faults();
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parsed(argc, argv);
  int provided;
  MPI_Init_thread(&argc, &argv, options.mode == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (options.mode == "threads" && provided < MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "this MPI provides no MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int faults = 0;
  {
    Watchdog watchdog(rank, std::chrono::seconds(options.patience));
    const int mine = tested(options, watchdog, rank);
    PMPI_Allreduce(&mine, &faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    std::printf("seed %llu, %d cases, %d faults\n", static_cast<unsigned long long>(options.seed), options.cases,
                faults);
    std::fflush(stdout);
  }
  MPI_Finalize();
  return faults ? 1 : 0;
}
