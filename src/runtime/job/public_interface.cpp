#include <mpi.h>
#include <starling/starling.h>

#include <optional>
#include <string>
#include <string_view>

#include "messages/interned.hpp"
#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/process.hpp"
#include "topology/available_memory.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

enum class Choice : int { made = 0, inactive = 1, unknown_collective = 2, unknown_way = 3 };

Communicator* state_of(MPI_Comm comm) {
  std::optional<int> refused;
  return job().running ? Communicator::of(comm, refused) : nullptr;
}

Choice choose(MPI_Comm comm, std::string_view collective, std::string_view way) {
  Communicator* const communicator = state_of(comm);
  if (communicator == nullptr) return Choice::inactive;
  const auto known = collective_named(collective);
  if (!known) return Choice::unknown_collective;
  const auto named = way.empty() ? std::nullopt : way_named(*known, way);
  if (!named && !way.empty()) return Choice::unknown_way;
  communicator->choose(*known, named);
  return Choice::made;
}

Interned refusal(MPI_Comm comm, std::string_view collective) {
  Communicator* const communicator = state_of(comm);
  const auto known = collective_named(collective);
  return communicator != nullptr && known ? communicator->refusal_of_chosen(*known) : Interned();
}

Interned names_of_ways(std::string_view collective, int ranks) {
  const auto known = collective_named(collective);
  if (!job().running || !known || ranks < 1) return {};
  std::string names;
  for (const auto all = ways(*known, ranks); const Way& way : *all) names.append(way.name().text()).append("\n");
  return names;
}

Interned place() {
  if (!job().running) return {};
  const Flavour& library = flavour();
  return setup().settings.machine + "\n" + library.name + "\n" + library.version + "\n";
}

std::string_view text_of(const char* given) {
  return given == nullptr ? std::string_view() : std::string_view(given);
}

}  // namespace
}  // namespace starling

extern "C" {

__attribute__((visibility("default"))) const char* starling_version() {
  return STARLING_VERSION;
}

__attribute__((visibility("default"))) int starling_is_active() {
  return starling::job().running ? 1 : 0;
}

__attribute__((visibility("default"))) const char* starling_place() {
  return starling::place().text().c_str();
}

__attribute__((visibility("default"))) long long starling_available_memory() {
  return starling::available_memory();
}

__attribute__((visibility("default"))) int starling_shares_processors() {
  return starling::job().running && starling::process().shares ? 1 : 0;
}

__attribute__((visibility("default"))) const char* starling_ways(const char* collective, int ranks) {
  return starling::names_of_ways(starling::text_of(collective), ranks).text().c_str();
}

__attribute__((visibility("default"))) int starling_choose(MPI_Comm comm, const char* collective, const char* way) {
  return static_cast<int>(starling::choose(comm, starling::text_of(collective), starling::text_of(way)));
}

__attribute__((visibility("default"))) const char* starling_refusal(MPI_Comm comm, const char* collective) {
  return starling::refusal(comm, starling::text_of(collective)).text().c_str();
}
}
