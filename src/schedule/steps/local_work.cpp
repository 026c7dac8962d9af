#include "schedule/steps/local_work.hpp"

#include <algorithm>
#include <string>

#include "schedule/flat_schedule.hpp"
#include "schedule/placement.hpp"
#include "schedule/ranks_at_work.hpp"
#include "schedule/steps/binder.hpp"
#include "schedule/steps/drawing.hpp"

namespace starling {
namespace {

std::string_view verb_of(Local::Kind kind) {
  switch (kind) {
    case Local::Kind::copy: return "copies ";
    case Local::Kind::combine: return "combines ";
  }
  return {};
}

/// Whether nothing is left to do, for the data is already there.
bool is_done(const Local& local) {
  switch (local.kind) {
    case Local::Kind::copy: return local.from == local.into;
    case Local::Kind::combine: return false;
  }
  return false;
}

}  // namespace

std::string_view name_of(Local::Kind kind) {
  switch (kind) {
    case Local::Kind::copy: return "copy";
    case Local::Kind::combine: return "combine";
  }
  return {};
}

LocalWork LocalWork::placed(const Placing& where) const {
  LocalWork moved;
  moved.all.reserve(all.size());
  for (const Local& one : all) {
    const Local local{one.kind, where.blocks(one.from), where.blocks(one.into)};
    if (!is_done(local)) moved.all.push_back(local);
  }
  return moved;
}

Drawing LocalWork::drawn() const {
  Drawing drawing;
  for (const Local& one : all) drawing.dots.push_back({name_of(one.kind), one.from, one.into});
  return drawing;
}

LocalWork::Flat LocalWork::flattened(FlatSchedule& into) const {
  const auto first = static_cast<std::int32_t>(into.locals.size());
  into.locals.insert(into.locals.end(), all.begin(), all.end());
  return {first, static_cast<std::int32_t>(all.size())};
}

void LocalWork::Flat::bind(Binder& binder) const {
  std::vector<Work>& works = binder.program.works;
  Step* run = nullptr;
  const Local* local = binder.schedule.locals.data() + first;
  for (const Local* const end = local + count; local != end; ++local) {
    Extent from = binder.where(local->from);
    const Extent into = binder.where(local->into);
    // They are equally large, but in a wrong program: a rank that expects less than others send has no room for more.
    from.count = std::min(from.count, into.count);
    if (from.count == 0) continue;
    if (run == nullptr || run->form_of<LocalWork>() != local->kind)
      run = &binder.add<LocalWork>(static_cast<std::int32_t>(works.size()), 0, local->kind);
    works.push_back({from, into});
    ++run->count;
  }
}

std::int32_t LocalWork::InProgram::append(const InProgram& other, const Step& step, const RankSet& /*ranks*/) {
  const auto first = static_cast<std::int32_t>(works.size());
  const auto added = step.of(other.works);
  works.insert(works.end(), added.begin(), added.end());
  return first;
}

void LocalWorkRule::perform(int rank, const LocalWork& step) {
  all_.naming(rank, [&] {
    for (const Local& one : step.all) perform(one, all_.memory(rank));
  });
}

void LocalWorkRule::perform(const Local& local, Memory& memory) {
  const auto what = [&] {
    return std::string(verb_of(local.kind)) + describe(local.from) + " into " + describe(local.into);
  };
  if (local.from.count != local.into.count) throw Mistake{what() + ", which is another number of blocks"};
  if (local.from.count == 0) return;
  Memory::must_be_writable(local.into);
  memory.must_be_written(local.from);
  if (!memory.fit(local.into, memory.sizes(local.from))) throw Mistake{what() + ", which differ in size"};
  const auto held = memory.values(local.from);
  std::vector<Symbol> made(held.begin(), held.end());
  const auto must_be_apart = [&] {
    if (memory.overlap(local.from, local.into)) throw Mistake{what() + ", which overlap"};
  };
  switch (local.kind) {
    case Local::Kind::copy:
      // Onto itself nothing moves, yet from now on it is the result that lies there.
      if (!memory.same(local.from, local.into)) must_be_apart();
      break;
    case Local::Kind::combine: {
      memory.must_be_written(local.into);
      must_be_apart();
      const auto right = memory.values(local.into);
      for (std::size_t i = 0; i < made.size(); ++i) made[i] = all_.symbols().combine(made[i], right[i]);
      break;
    }
  }
  memory.write(local.into, made);
}

}  // namespace starling
