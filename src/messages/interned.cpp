#include "messages/interned.hpp"

#include <functional>
#include <mutex>
#include <unordered_set>

namespace starling {
namespace {

/// Finds texts by views of them.
struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};

}  // namespace

// Neither is ever destroyed: MPI may be called while statics are destroyed.

Interned::Interned() {
  static const std::string& empty = *new std::string;
  text_ = &empty;
}

Interned::Interned(std::string_view text) : Interned() {
  if (text.empty()) return;
  struct Kept {
    std::mutex guard;
    std::unordered_set<std::string, Hash, std::equal_to<>> texts;
  };
  static auto& kept = *new Kept;
  const std::scoped_lock lock(kept.guard);
  const auto known = kept.texts.find(text);
  text_ = known != kept.texts.end() ? &*known : &*kept.texts.emplace(text).first;
}

}  // namespace starling
