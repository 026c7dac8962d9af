// The functions of include/starling/starling.h, which a program may find without being linked to a variant. An
// MPI_Comm, in some MPI an int, is passed on as a pointer: both are in the same register.
#include "chooser/variant.hpp"

namespace {

template <class Signature>
Signature* function(const char* name) {
  return reinterpret_cast<Signature*>(starling::function_of_variant(name));
}

constexpr int inactive = 1;

}  // namespace

#define STARLING_EXPORTED __attribute__((visibility("default")))

extern "C" {

STARLING_EXPORTED const char* starling_version() {
  return STARLING_VERSION;
}

STARLING_EXPORTED int starling_is_active() {
  auto* const there = function<int()>("starling_is_active");
  return there != nullptr ? there() : 0;
}

STARLING_EXPORTED const char* starling_place() {
  auto* const there = function<const char*()>("starling_place");
  return there != nullptr ? there() : "";
}

STARLING_EXPORTED long long starling_available_memory() {
  auto* const there = function<long long()>("starling_available_memory");
  return there != nullptr ? there() : 0;
}

STARLING_EXPORTED int starling_shares_processors() {
  auto* const there = function<int()>("starling_shares_processors");
  return there != nullptr ? there() : 0;
}

STARLING_EXPORTED const char* starling_ways(const char* collective, int ranks) {
  auto* const there = function<const char*(const char*, int)>("starling_ways");
  return there != nullptr ? there(collective, ranks) : "";
}

STARLING_EXPORTED int starling_choose(void* comm, const char* collective, const char* way) {
  auto* const there = function<int(void*, const char*, const char*)>("starling_choose");
  return there != nullptr ? there(comm, collective, way) : inactive;
}

STARLING_EXPORTED const char* starling_refusal(void* comm, const char* collective) {
  auto* const there = function<const char*(void*, const char*)>("starling_refusal");
  return there != nullptr ? there(comm, collective) : "";
}

/// The path of the library that serves this process, for Python; empty if there is none.
STARLING_EXPORTED const char* starling_library() {
  return starling::function_of_variant("starling_version") != nullptr ? starling::variant().path.c_str() : "";
}
}
