#include "schedule/steps/sharing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "schedule/flat_schedule.hpp"
#include "schedule/placement.hpp"
#include "schedule/ranks_at_work.hpp"
#include "schedule/steps/binder.hpp"
#include "schedule/steps/drawing.hpp"

namespace starling {

Sharing Sharing::placed(const Placing& where) const {
  Sharing moved = *this;
  for (Publication& one : moved.publications) {
    one.from = where.blocks(one.from);
    for (int& reader : one.readers) reader = where.rank(reader);
  }
  for (Take& one : moved.takes) {
    one.peer = where.rank(one.peer);
    for (Blocks* const place : {&one.into, &one.left, &one.right}) *place = where.blocks(*place);
  }
  return moved;
}

Drawing Sharing::drawn() const {
  Drawing::Arrows arrows;
  for (const Take& one : takes) arrows.receives.push_back({one.peer, one.into});
  for (const Publication& one : publications)
    for (const int reader : one.readers) arrows.sends.push_back({reader, one.from});
  return {.arrows = std::move(arrows)};
}

Sharing::Flat Sharing::flattened(FlatSchedule& into) const {
  into.sharings.push_back(*this);
  return {static_cast<std::int32_t>(into.sharings.size()) - 1};
}

void Sharing::Flat::bind(Binder& binder) const {
  const Sharing& sharing = binder.schedule.sharings[static_cast<std::size_t>(index)];
  Program& program = binder.program;
  BoundSharing bound{static_cast<std::int32_t>(program.publications.size()), 0,
                     static_cast<std::int32_t>(program.takes.size()), 0, 0};
  for (const Publication& one : sharing.publications) {
    const Extent data = binder.where(one.from);
    if (data.count == 0 && one.from.count > 0) continue;
    program.publications.push_back({data, static_cast<std::int32_t>(program.readers.size()),
                                    static_cast<std::int32_t>(one.readers.size()), one.once});
    program.readers.insert(program.readers.end(), one.readers.begin(), one.readers.end());
    ++bound.publications;
    bound.most = std::max(bound.most, data.count);
  }
  for (const Take& one : sharing.takes) {
    const Extent into = binder.where(one.into);
    if (into.count == 0 && one.into.count > 0) continue;
    program.takes.push_back({one.peer, into, binder.where(one.left), binder.where(one.right)});
    ++bound.takes;
    bound.most = std::max(bound.most, into.count);
  }
  if (bound.publications + bound.takes == 0) return;
  binder.add<Sharing>(static_cast<std::int32_t>(program.sharings.size()));
  program.sharings.push_back(bound);
}

const BoundSharing& Sharing::InProgram::sharing_of(const Step& step) const {
  return sharings[static_cast<std::size_t>(step.first)];
}

std::int32_t Sharing::InProgram::append(const InProgram& other, const Step& step, const RankSet& ranks) {
  const BoundSharing& sharing = other.sharing_of(step);
  sharings.push_back({static_cast<std::int32_t>(publications.size()), sharing.publications,
                      static_cast<std::int32_t>(takes.size()), sharing.takes, sharing.most});
  for (BoundPublication one : other.publications_of(sharing)) {
    const auto theirs = other.readers_of(one);
    one.first_reader = static_cast<std::int32_t>(readers.size());
    for (const std::int32_t reader : theirs) readers.push_back(ranks.rank(reader));
    publications.push_back(one);
  }
  for (BoundTake one : other.takes_of(sharing)) {
    one.peer = ranks.rank(one.peer);
    takes.push_back(one);
  }
  return static_cast<std::int32_t>(sharings.size()) - 1;
}

namespace {

/// A reader of the current publication of rank `from` that is at another take or none; -1 if there is none. Readers
/// wait for it: where there is room for a part of the data only, all must take it at the same time. A word takes no
/// room.
template <class Progress>
int late_reader(const std::vector<Progress>& all, int from) {
  const Progress& writer = all[static_cast<std::size_t>(from)];
  const Publication& there = writer.step->publications[writer.published];
  if (there.from.count == 0) return -1;
  for (std::size_t i = 0; i < there.readers.size(); ++i) {
    const Progress& reader = all[static_cast<std::size_t>(there.readers[i])];
    const bool takes_it = reader.step != nullptr && reader.taken < reader.step->takes.size() &&
                          reader.step->takes[reader.taken].peer == from;
    if (!writer.served[i] && !takes_it) return there.readers[i];
  }
  return -1;
}

}  // namespace

SharingRule::SharingRule(RanksAtWork& all) : all_(all), progress_(static_cast<std::size_t>(all.ranks())) {}

void SharingRule::must_be_near(int rank, int peer) const {
  const std::string other = "rank " + std::to_string(peer);
  if (peer < 0 || peer >= all_.ranks()) throw Mistake{"shares memory with " + other + ", and there is no such rank"};
  if (peer == rank) throw Mistake{"shares memory with itself"};
  if (!all_.on_one_node(rank, peer)) throw Mistake{"shares memory with " + other + ", which is on another node"};
}

void SharingRule::must_be_possible(int rank, const Sharing& step) const {
  Memory& memory = all_.memory(rank);
  for (const Publication& one : step.publications) {
    if (one.readers.empty()) throw Mistake{"publishes " + describe(one.from) + " for nobody"};
    for (auto reader = one.readers.begin(); reader != one.readers.end(); ++reader) {
      must_be_near(rank, *reader);
      if (std::find(one.readers.begin(), reader, *reader) != reader)
        throw Mistake{"publishes " + describe(one.from) + " twice at once for rank " + std::to_string(*reader)};
    }
    memory.read_in_round(one.from);
  }
  for (const Take& one : step.takes) {
    must_be_near(rank, one.peer);
    memory.change_in_round(one.into);
    for (const Blocks operand : {one.left, one.right})
      if (Take::is_there(operand) && operand != one.into) memory.read_in_round(operand);
  }
}

bool SharingRule::begin(int rank, const Sharing& step) {
  all_.naming(rank, [&] { must_be_possible(rank, step); });
  Progress& mine = at(rank);
  mine = {&step, 0, {}, 0};
  if (!step.publications.empty()) mine.served.assign(step.publications.front().readers.size(), false);
  std::vector<int> touched{rank};  // those who may be able to go on
  const auto take_all = [&](int reader) {
    while (at(reader).step != nullptr && take_one(reader)) {
      touched.push_back(at(reader).step->takes[at(reader).taken - 1].peer);
      touched.push_back(reader);
    }
  };
  while (!touched.empty()) {
    const int one = touched.back();
    touched.pop_back();
    Progress& its = at(one);
    if (its.step == nullptr) continue;
    take_all(one);
    if (its.published < its.step->publications.size()) {
      for (const int reader : its.step->publications[its.published].readers) take_all(reader);
      if (publish_next(one)) touched.push_back(one);
    }
    if (!is_over(its)) continue;
    its.step = nullptr;
    if (one != rank) all_.may_go_on(one);
  }
  return mine.step == nullptr;
}

bool SharingRule::publish_next(int rank) {
  Progress& mine = at(rank);
  if (std::find(mine.served.begin(), mine.served.end(), false) != mine.served.end()) return false;
  ++mine.published;
  const std::vector<Publication>& all = mine.step->publications;
  mine.served.assign(mine.published < all.size() ? all[mine.published].readers.size() : 0, false);
  return true;
}

bool SharingRule::take_one(int rank) {
  Progress& mine = at(rank);
  if (mine.taken == mine.step->takes.size()) return false;
  const Take& take = mine.step->takes[mine.taken];
  Progress& writer = at(take.peer);
  if (writer.step == nullptr || writer.published == writer.step->publications.size()) return false;
  const Publication& there = writer.step->publications[writer.published];
  const auto place = std::find(there.readers.begin(), there.readers.end(), rank) - there.readers.begin();
  if (place == std::ssize(there.readers) || writer.served[static_cast<std::size_t>(place)]) return false;
  if (late_reader(progress_, take.peer) >= 0) return false;
  deliver(take.peer, there, rank, take);
  writer.served[static_cast<std::size_t>(place)] = true;
  ++mine.taken;
  return true;
}

void SharingRule::deliver(int from, const Publication& publication, int to, const Take& take) {
  const auto mismatch = [&](const char* how) {
    return Mistake{all_.place(to) + " takes " + describe(take.into) + " from rank " + std::to_string(from) +
                   ", which in its round " + std::to_string(all_.round_number(from)) + " publishes " +
                   describe(publication.from) + ", and these differ in " + how};
  };
  if (publication.from.count != take.into.count) throw mismatch("their number of blocks");
  if (HappensBefore* const order = all_.order(); order != nullptr && order->counts(take.into.count > 0))
    order->hear(to, from);
  if (take.into.count == 0) return;
  Memory& memory = all_.memory(to);
  if (!memory.fit(take.into, all_.memory(from).sizes(publication.from))) throw mismatch("size");
  const auto values = all_.memory(from).values(publication.from);
  std::vector<Symbol> made(values.begin(), values.end());
  all_.naming(to, [&] {
    const auto values_of = [&](Blocks operand) {
      if (operand.count != take.into.count) throw mismatch("the number of blocks of an operand");
      memory.must_be_written(operand);
      return memory.values(operand);
    };
    if (Take::is_there(take.right)) {
      const auto right = values_of(take.right);
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = all_.symbols().combine(made[i], right[i]);
    }
    if (Take::is_there(take.left)) {
      const auto left = values_of(take.left);
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = all_.symbols().combine(left[i], made[i]);
    }
  });
  memory.write(take.into, made);
}

Wait SharingRule::wait_of(int rank, const Sharing& step) const {
  const Progress& mine = progress_[static_cast<std::size_t>(rank)];
  if (mine.step != nullptr && mine.taken < step.takes.size()) {
    const Take& take = step.takes[mine.taken];
    const Progress& writer = progress_[static_cast<std::size_t>(take.peer)];
    if (writer.step != nullptr && writer.published < writer.step->publications.size()) {
      const std::vector<int>& readers = writer.step->publications[writer.published].readers;
      const int late = late_reader(progress_, take.peer);
      if (late >= 0 && late != rank && std::find(readers.begin(), readers.end(), rank) != readers.end())
        return {late,
                "waits until rank " + std::to_string(late) + " takes what rank " + std::to_string(take.peer) +
                    " publishes for both",
                false};
    }
    return {take.peer,
            "waits until rank " + std::to_string(take.peer) + " publishes " +
                (take.into.count > 0 ? describe(take.into) : "a word") + " for it",
            take.into.count == 0};
  }
  if (mine.step != nullptr && mine.published < step.publications.size()) {
    const Publication& there = step.publications[mine.published];
    for (std::size_t i = 0; i < there.readers.size(); ++i)
      if (!mine.served[i])
        return {there.readers[i],
                "waits until rank " + std::to_string(there.readers[i]) + " takes " + describe(there.from),
                there.from.count == 0};
  }
  return {rank, "waits for itself"};
}

}  // namespace starling
