#include "neighborhood/checker.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "neighborhood/box.hpp"
#include "neighborhood/index.hpp"

namespace starling::neighborhood {
namespace {

struct Mistake {
  std::string what;
};

constexpr std::array<std::string_view, 19> act_names{"copy",
                                                     "pack",
                                                     "unpack",
                                                     "irecv",
                                                     "isend",
                                                     "wait for what is received",
                                                     "wait for what is sent",
                                                     "send",
                                                     "receive",
                                                     "sendrecv",
                                                     "first fence",
                                                     "fence",
                                                     "last fence",
                                                     "post",
                                                     "start",
                                                     "put",
                                                     "get",
                                                     "complete",
                                                     "wait for those who access"};
static_assert(act_names.size() == static_cast<std::size_t>(Act::wait_exposed) + 1);

/// A cell, and who may touch it now besides the rank itself.
struct Cell {
  std::int64_t value;
  int readers = 0;  ///< messages and transfers of this rank that may read it until they end
  bool written = false;
  // Since the epoch began in which other ranks may touch it:
  bool read_here = false;
  bool written_here = false;
  bool read_there = false;
  bool written_there = false;
};

/// A rank at work.
struct Worker {
  const RankToCheck* rank;
  const Steps* steps;
  std::size_t next = 0;
  bool begun = false;  ///< the step that it waits in
  std::vector<Cell> cells;
  // By round:
  std::vector<std::vector<std::int64_t>> packed_out;
  std::vector<std::vector<std::int64_t>> packed_in;
  std::vector<bool> send_met;
  std::vector<bool> receive_met;
  // One-sided:
  int fences = 0;  ///< entered
  const std::vector<int>* exposed_to = nullptr;
  const std::vector<int>* accesses = nullptr;
  std::vector<int> reading;  ///< rounds whose transfers may still read or write cells here
  std::vector<int> writing;
};

/// How often one rank has told another something that this one waits for.
class Counts {
 public:
  explicit Counts(std::size_t ranks) : ranks_(ranks), left_(ranks * ranks) {}
  int& left(int from, int to) { return left_[(index(from) * ranks_) + index(to)]; }
  [[nodiscard]] bool any_left() const {
    return std::any_of(left_.begin(), left_.end(), [](int one) { return one != 0; });
  }

 private:
  std::size_t ranks_;
  std::vector<int> left_;
};

class Run {
 public:
  Run(std::span<const RankToCheck> ranks, std::span<const Steps> steps)
      : queues_(ranks.size() * ranks.size()), posts_(ranks.size()), completes_(ranks.size()) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      Worker worker{&ranks[i], &steps[i]};
      for (const std::int64_t value : ranks[i].before) worker.cells.push_back({value});
      const std::size_t rounds = ranks[i].rounds.all.size();
      worker.packed_out.resize(rounds);
      worker.packed_in.resize(rounds);
      worker.send_met.resize(rounds);
      worker.receive_met.resize(rounds);
      find_groups_of_windows(static_cast<int>(i), steps[i]);
      workers_.push_back(std::move(worker));
    }
  }

  void play() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (int rank = 0; rank < static_cast<int>(workers_.size()); ++rank)
        while (!finished(rank) && carry_out(rank)) {
          ++worker(rank).next;
          worker(rank).begun = false;
          goes_on = true;
        }
    }
    for (int rank = 0; rank < static_cast<int>(workers_.size()); ++rank)
      if (!finished(rank)) throw Mistake{place(rank) + " waits for ever"};
    find_remains();
  }

  void compare() {
    for (int rank = 0; rank < static_cast<int>(workers_.size()); ++rank) {
      const std::vector<std::int64_t>& wanted = worker(rank).rank->after;
      for (std::size_t cell = 0; cell < wanted.size(); ++cell)
        if (worker(rank).cells[cell].value != wanted[cell])
          throw Mistake{"rank " + std::to_string(rank) + " has " + std::to_string(worker(rank).cells[cell].value) +
                        " in cell " + std::to_string(cell) + " at the end, and should have " +
                        std::to_string(wanted[cell])};
    }
  }

 private:
  struct Posted {
    int rank;
    int round;
  };
  /// What waits for its counterpart, from one rank to another: only sends or only receives.
  struct Queue {
    std::deque<Posted> posted;
    bool sends = false;
  };

  Worker& worker(int rank) { return workers_[index(rank)]; }
  [[nodiscard]] bool finished(int rank) { return worker(rank).next == worker(rank).steps->all.size(); }
  const Round& round_of(int rank, int number) { return worker(rank).rank->rounds.all.at(index(number)); }
  const std::vector<int>& sent(int rank, int round) {
    return worker(rank).rank->sends.at(index(round_of(rank, round).send));
  }
  const std::vector<int>& received(int rank, int round) {
    return worker(rank).rank->receives.at(index(round_of(rank, round).receive));
  }
  std::string place(int rank) {
    const Worker& here = worker(rank);
    const Step& step = here.steps->all[here.next];
    return "rank " + std::to_string(rank) + ", step " + std::to_string(here.next) + " (" +
           std::string(act_names.at(static_cast<std::size_t>(step.act))) + ", number " + std::to_string(step.number) +
           ")";
  }
  [[noreturn]] void fail(int rank, const std::string& what) { throw Mistake{place(rank) + ": " + what}; }
  void demand(bool holds, int rank, const std::string& what) {
    if (!holds) fail(rank, what);
  }

  // Access to cells by the rank itself: at once, or until an end.
  void may_read(int rank, const Cell& cell) {
    demand(!cell.written, rank, "reads a cell that a message or transfer may write");
    demand(!cell.written_there, rank, "reads a cell that another rank has put to in this epoch");
  }
  void may_write(int rank, const Cell& cell) {
    demand(!cell.written && cell.readers == 0, rank, "writes a cell that a message or transfer may read or write");
    demand(!cell.written_there && !cell.read_there, rank, "writes a cell that another rank uses in this epoch");
  }
  std::vector<std::int64_t> read(int rank, const std::vector<int>& cells) {
    std::vector<std::int64_t> values;
    for (const int number : cells) {
      Cell& cell = worker(rank).cells.at(index(number));
      may_read(rank, cell);
      cell.read_here = true;
      values.push_back(cell.value);
    }
    return values;
  }
  void write(int rank, const std::vector<int>& cells, const std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Cell& cell = worker(rank).cells.at(index(cells[i]));
      may_write(rank, cell);
      cell.written_here = true;
      cell.value = values[i];
    }
  }
  void begin_read(int rank, const std::vector<int>& cells) {
    read(rank, cells);
    for (const int number : cells) ++worker(rank).cells[index(number)].readers;
  }
  void end_read(int rank, const std::vector<int>& cells) {
    for (const int number : cells) --worker(rank).cells[index(number)].readers;
  }
  void begin_write(int rank, const std::vector<int>& cells) {
    for (const int number : cells) {
      Cell& cell = worker(rank).cells.at(index(number));
      may_write(rank, cell);
      cell.written = cell.written_here = true;
    }
  }
  void end_write(int rank, const std::vector<int>& cells) {
    for (const int number : cells) worker(rank).cells[index(number)].written = false;
  }

  bool packs(int rank) {
    const auto& all = worker(rank).steps->all;
    return std::any_of(all.begin(), all.end(),
                       [](const Step& step) { return step.act == Act::pack || step.act == Act::unpack; });
  }

  /// Ranks post, and start, on a window for one group only: see Steps::windows.
  static void find_groups_of_windows(int rank, const Steps& steps) {
    std::map<std::pair<Act, int>, int> group_of;
    for (const Step& step : steps.all) {
      if (step.act != Act::post && step.act != Act::start) continue;
      const auto [known, is_new] = group_of.try_emplace({step.act, step.window}, step.number);
      if (!is_new && known->second != step.number)
        throw Mistake{"rank " + std::to_string(rank) + ": window " + std::to_string(step.window) + " has two groups"};
    }
  }

  // Messages.
  void begin_send(int rank, int round) {
    if (packs(rank)) {
      demand(worker(rank).packed_out[index(round)].size() == sent(rank, round).size(), rank, "sends before it packs");
    } else {
      begin_read(rank, sent(rank, round));
    }
    meet(rank, round, true);
  }
  void end_send(int rank, int round) {
    if (!packs(rank)) end_read(rank, sent(rank, round));
  }
  void begin_receive(int rank, int round) {
    if (!packs(rank)) begin_write(rank, received(rank, round));
    meet(rank, round, false);
  }
  void end_receive(int rank, int round) {
    if (!packs(rank)) end_write(rank, received(rank, round));
  }
  void meet(int rank, int round, bool sends) {
    const int peer = sends ? round_of(rank, round).to : round_of(rank, round).from;
    demand(peer >= 0 && peer < static_cast<int>(workers_.size()), rank, "has no partner");
    const int from = sends ? rank : peer;
    const int to = sends ? peer : rank;
    Queue& queue = queues_[(index(from) * workers_.size()) + index(to)];
    if (queue.posted.empty() || queue.sends == sends) {
      queue.sends = sends;
      queue.posted.push_back({rank, round});
      return;
    }
    const Posted other = queue.posted.front();
    queue.posted.pop_front();
    deliver(from, sends ? round : other.round, to, sends ? other.round : round, rank);
  }
  void deliver(int from, int sent_in, int to, int received_in, int teller) {
    const std::vector<int>& source = sent(from, sent_in);
    const std::vector<int>& target = received(to, received_in);
    demand(source.size() == target.size(), teller,
           "the message from rank " + std::to_string(from) + " to rank " + std::to_string(to) + " has " +
               std::to_string(source.size()) + " cells, and its receive " + std::to_string(target.size()));
    std::vector<std::int64_t> values = worker(from).packed_out[index(sent_in)];
    if (!packs(from)) {
      values.clear();
      for (const int number : source) values.push_back(worker(from).cells[index(number)].value);
    }
    if (packs(to)) {
      worker(to).packed_in[index(received_in)] = std::move(values);
    } else {
      for (std::size_t i = 0; i < target.size(); ++i) worker(to).cells[index(target[i])].value = values[i];
    }
    worker(from).send_met[index(sent_in)] = true;
    worker(to).receive_met[index(received_in)] = true;
  }

  // One-sided transfers.
  void begin_epoch_of_cells(int rank) {
    for (Cell& cell : worker(rank).cells)
      cell.read_here = cell.written_here = cell.read_there = cell.written_there = false;
  }
  void end_transfers(int rank) {
    for (const int round : worker(rank).reading) end_read(rank, sent(rank, round));
    for (const int round : worker(rank).writing) end_write(rank, received(rank, round));
    worker(rank).reading.clear();
    worker(rank).writing.clear();
  }
  bool fence(int rank, Act act) {
    Worker& here = worker(rank);
    if (!here.begun) {
      ++here.fences;
      if (static_cast<int>(kinds_of_fences_.size()) < here.fences) kinds_of_fences_.push_back(act);
      demand(kinds_of_fences_[index(here.fences) - 1] == act, rank, "another rank has another kind of fence here");
      demand((act == Act::fence_open) == !in_epoch_, rank, in_epoch_ ? "an epoch is open" : "no epoch is open");
      const bool all_there =
          std::all_of(workers_.begin(), workers_.end(), [&](const Worker& one) { return one.fences == here.fences; });
      if (all_there) {
        ++fences_passed_;
        in_epoch_ = act != Act::fence_close;
        for (int one = 0; one < static_cast<int>(workers_.size()); ++one) {
          end_transfers(one);
          begin_epoch_of_cells(one);
        }
      }
    }
    return fences_passed_ >= here.fences;
  }
  bool post(int rank, int group) {
    Worker& here = worker(rank);
    demand(here.exposed_to == nullptr, rank, "is exposed already");
    here.exposed_to = &here.steps->groups.at(index(group));
    for (const int one : *here.exposed_to) ++posts_.left(rank, one);
    begin_epoch_of_cells(rank);
    return true;
  }
  bool start(int rank, int group) {
    Worker& here = worker(rank);
    demand(here.accesses == nullptr, rank, "accesses others already");
    const std::vector<int>& targets = here.steps->groups.at(index(group));
    if (std::any_of(targets.begin(), targets.end(), [&](int one) { return posts_.left(one, rank) == 0; })) return false;
    for (const int one : targets) --posts_.left(one, rank);
    here.accesses = &targets;
    return true;
  }
  void complete(int rank) {
    Worker& here = worker(rank);
    demand(here.accesses != nullptr, rank, "nothing has started");
    for (const int one : *here.accesses) ++completes_.left(rank, one);
    here.accesses = nullptr;
    end_transfers(rank);
  }
  bool wait_exposed(int rank) {
    Worker& here = worker(rank);
    demand(here.exposed_to != nullptr, rank, "is not exposed");
    const std::vector<int>& origins = *here.exposed_to;
    if (std::any_of(origins.begin(), origins.end(), [&](int one) { return completes_.left(one, rank) == 0; }))
      return false;
    for (const int one : origins) --completes_.left(one, rank);
    here.exposed_to = nullptr;
    begin_epoch_of_cells(rank);
    return true;
  }
  void may_access(int rank, int target) {
    const auto* const targets = worker(rank).accesses;
    demand(in_epoch_ || (targets != nullptr && std::find(targets->begin(), targets->end(), target) != targets->end()),
           rank, "rank " + std::to_string(target) + " is not accessed in an epoch");
  }
  void put(int rank, int round) {
    const int target = round_of(rank, round).to;
    may_access(rank, target);
    demand(round_of(target, round).from == rank, rank, "the target expects nothing from it in this round");
    const std::vector<int>& from = sent(rank, round);
    const std::vector<int>& into = received(target, round);
    demand(from.size() == into.size(), rank, "the target expects another number of cells");
    const std::vector<std::int64_t> values = read(rank, from);
    begin_read(rank, from);
    worker(rank).reading.push_back(round);
    for (std::size_t i = 0; i < into.size(); ++i) {
      Cell& cell = worker(target).cells.at(index(into[i]));
      demand(!cell.read_here && !cell.written_here && !cell.read_there && !cell.written_there && !cell.written &&
                 cell.readers == 0,
             rank, "puts to a cell that is used in the same epoch");
      cell.written_there = true;
      cell.value = values[i];
    }
  }
  void get(int rank, int round) {
    const int target = round_of(rank, round).from;
    may_access(rank, target);
    demand(round_of(target, round).to == rank, rank, "the target has nothing for it in this round");
    const std::vector<int>& from = sent(target, round);
    const std::vector<int>& into = received(rank, round);
    demand(from.size() == into.size(), rank, "the target has another number of cells");
    begin_write(rank, into);
    worker(rank).writing.push_back(round);
    for (std::size_t i = 0; i < into.size(); ++i) {
      Cell& cell = worker(target).cells.at(index(from[i]));
      demand(!cell.written_here && !cell.written_there && !cell.written, rank,
             "gets a cell that is written in the same epoch");
      cell.read_there = true;
      worker(rank).cells[index(into[i])].value = cell.value;
    }
  }

  /// Goes through the rank's next step, or as far into it as it can. Returns whether it has ended.
  bool carry_out(int rank) {
    Worker& here = worker(rank);
    const Step step = here.steps->all[here.next];
    const bool ended = go_into(rank, step);
    here.begun = true;
    return ended;
  }
  bool go_into(int rank, const Step& step) {
    Worker& here = worker(rank);
    const int round = step.number;
    switch (step.act) {
      case Act::copy:
        demand(round_of(rank, round).to == rank && round_of(rank, round).from == rank, rank, "is not alone");
        demand(sent(rank, round).size() == received(rank, round).size(), rank, "the copy has another size");
        write(rank, received(rank, round), read(rank, sent(rank, round)));
        return true;
      case Act::pack: here.packed_out[index(round)] = read(rank, sent(rank, round)); return true;
      case Act::unpack:
        demand(here.packed_in[index(round)].size() == received(rank, round).size(), rank, "unpacks before it receives");
        write(rank, received(rank, round), here.packed_in[index(round)]);
        return true;
      case Act::irecv: begin_receive(rank, round); return true;
      case Act::isend: begin_send(rank, round); return true;
      case Act::wait_receive:
        if (!here.receive_met[index(round)]) return false;
        end_receive(rank, round);
        return true;
      case Act::wait_send:
        if (!here.send_met[index(round)]) return false;
        end_send(rank, round);
        return true;
      case Act::send:
      case Act::receive:
      case Act::sendrecv: {
        const bool sends = step.act != Act::receive;
        const bool receives = step.act != Act::send;
        if (!here.begun && receives) begin_receive(rank, round);
        if (!here.begun && sends) begin_send(rank, round);
        if ((sends && !here.send_met[index(round)]) || (receives && !here.receive_met[index(round)])) return false;
        if (sends) end_send(rank, round);
        if (receives) end_receive(rank, round);
        return true;
      }
      case Act::fence_open:
      case Act::fence_next:
      case Act::fence_close: return fence(rank, step.act);
      case Act::post: return post(rank, step.number);
      case Act::start: return start(rank, step.number);
      case Act::put: put(rank, round); return true;
      case Act::get: get(rank, round); return true;
      case Act::complete: complete(rank); return true;
      case Act::wait_exposed: return wait_exposed(rank);
    }
    return false;
  }

  /// What nobody has waited for, or ended.
  void find_remains() {
    for (const Queue& queue : queues_)
      if (!queue.posted.empty())
        throw Mistake{"rank " + std::to_string(queue.posted.front().rank) + ", round " +
                      std::to_string(queue.posted.front().round) + ": nobody " +
                      (queue.sends ? "receives what it sends" : "sends what it receives")};
    for (int rank = 0; rank < static_cast<int>(workers_.size()); ++rank) {
      const Worker& here = worker(rank);
      const bool in_flight = std::any_of(here.cells.begin(), here.cells.end(),
                                         [](const Cell& cell) { return cell.written || cell.readers != 0; });
      if (in_flight || here.accesses != nullptr || here.exposed_to != nullptr)
        throw Mistake{"rank " + std::to_string(rank) + " ends before its messages or epochs do"};
    }
    if (in_epoch_ || posts_.any_left() || completes_.any_left()) throw Mistake{"an epoch is left open"};
  }

  std::vector<Worker> workers_;
  std::vector<Queue> queues_;
  Counts posts_;
  Counts completes_;
  std::vector<Act> kinds_of_fences_;
  int fences_passed_ = 0;
  bool in_epoch_ = false;  ///< between fences
};

/// A cell of a rank's array, its indices in each dimension, and back.
int cell_number(const HaloArray& array, const PerDimension& place) {
  int number = 0;
  for (int d = 0; d < array.dimensions; ++d) number = (number * array.cells[index(d)]) + place[index(d)];
  return number;
}

int cells_of(const HaloArray& array) {
  int cells = 1;
  for (int d = 0; d < array.dimensions; ++d) cells *= array.cells[index(d)];
  return cells;
}

PerDimension place_of(const HaloArray& array, int number) {
  PerDimension place{};
  for (int d = array.dimensions - 1; d >= 0; --d) {
    place[index(d)] = number % array.cells[index(d)];
    number /= array.cells[index(d)];
  }
  return place;
}

std::vector<int> cells_of(const HaloArray& array, const Box& box) {
  std::vector<int> cells;
  const int all = cells_of(array);
  for (int number = 0; number < all; ++number) {
    const PerDimension place = place_of(array, number);
    bool inside = true;
    for (int d = 0; d < array.dimensions; ++d)
      inside =
          inside && place[index(d)] >= box.from[index(d)] && place[index(d)] < box.from[index(d)] + box.size[index(d)];
    if (inside) cells.push_back(cell_number(array, place));
  }
  return cells;
}

}  // namespace

std::vector<RankToCheck> halos_to_check(const Grid& grid, const BlockSizes& inner, int width, Corners corners) {
  std::vector<RankToCheck> ranks;
  for (int rank = 0; rank < grid.size(); ++rank) {
    const PerDimension coordinates = grid.coordinates(rank);
    HaloArray array{.dimensions = grid.dimensions, .width = width};
    PerDimension origin{};
    PerDimension whole{};
    for (int d = 0; d < grid.dimensions; ++d) {
      const std::vector<int>& sizes = inner.at(index(d));
      array.cells[index(d)] = sizes.at(index(coordinates[index(d)])) + (2 * width);
      for (int c = 0; c < grid.ranks[index(d)]; ++c) {
        if (c < coordinates[index(d)]) origin[index(d)] += sizes.at(index(c));
        whole[index(d)] += sizes.at(index(c));
      }
    }
    RankToCheck made;
    made.rounds = rounds_on(grid, rank, corners);
    for (const Direction& direction : directions(grid.dimensions, corners)) {
      made.sends.push_back(cells_of(array, box_to_send(array, grid, rank, direction, corners)));
      made.receives.push_back(cells_of(array, box_to_receive(array, grid, rank, direction, corners)));
    }
    for (int number = 0; number < cells_of(array); ++number) {
      const PerDimension place = place_of(array, number);
      int in_halos = 0;
      bool exists = true;
      std::int64_t symbol = 0;
      for (int d = 0; d < grid.dimensions; ++d) {
        int global = origin[index(d)] + place[index(d)] - width;
        if (place[index(d)] < width || place[index(d)] >= array.cells[index(d)] - width) ++in_halos;
        if (grid.periodic[index(d)] != 0) global = (global + whole[index(d)]) % whole[index(d)];
        exists = exists && global >= 0 && global < whole[index(d)];
        symbol = (symbol * whole[index(d)]) + global;
      }
      const std::int64_t untouched = -1 - number;
      const bool filled = exists && (corners != Corners::none || in_halos <= 1);
      made.before.push_back(in_halos == 0 ? symbol : untouched);
      made.after.push_back(filled ? symbol : untouched);
    }
    ranks.push_back(std::move(made));
  }
  return ranks;
}

std::vector<RankToCheck> graph_to_check(std::span<const Link> links, int ranks) {
  std::vector<RankToCheck> all(index(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    RankToCheck& made = all[index(rank)];
    made.rounds = rounds_on(links, ranks, rank);
    // Blocks of different sizes, as the link says: a message that meets another receive than its own shows.
    for (std::size_t number = 0; number < links.size(); ++number) {
      const Link& link = links[number];
      const int size = 1 + static_cast<int>(number % 3);
      const auto add = [&](std::vector<std::vector<int>>& blocks, int block, bool sends) {
        if (blocks.size() <= index(block)) blocks.resize(index(block) + 1);
        for (int i = 0; i < size; ++i) {
          blocks[index(block)].push_back(static_cast<int>(made.before.size()));
          const std::int64_t symbol = static_cast<std::int64_t>(3 * number) + i;
          made.before.push_back(sends ? symbol : -1);
          made.after.push_back(symbol);
        }
      };
      if (link.from == rank) add(made.sends, link.send, true);
      if (link.to == rank) add(made.receives, link.receive, false);
    }
  }
  return all;
}

std::string check(std::span<const RankToCheck> ranks, std::span<const Steps> steps) {
  try {
    Run run(ranks, steps);
    run.play();
    run.compare();
  } catch (const Mistake& mistake) {
    return mistake.what;
  }
  return {};
}

std::string check(std::span<const RankToCheck> ranks, const Implementation& implementation) {
  std::vector<Steps> steps;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    steps.push_back(steps_of(ranks[rank].rounds, static_cast<int>(rank), implementation));
  return check(ranks, steps);
}

}  // namespace starling::neighborhood
