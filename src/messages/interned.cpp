#include "messages/interned.hpp"

#include <functional>
#include <mutex>
#include <set>

namespace starling {

Interned::Interned(std::string_view text) {
  // Never destroyed: MPI may be called while statics are destroyed.
  static std::mutex& guard = *new std::mutex;
  static std::set<std::string, std::less<>>& texts = *new std::set<std::string, std::less<>>;
  const std::lock_guard lock(guard);
  const auto known = texts.find(text);
  text_ = known != texts.end() ? &*known : &*texts.emplace(text).first;
}

}  // namespace starling
