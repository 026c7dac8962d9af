#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/candidate.hpp"

namespace starling {

/// Native: the MPI library's own way, by the algorithm that it chooses itself.
struct Library {
  static constexpr std::string_view native = "native";  ///< its name

  [[nodiscard]] static std::vector<Library> all(Collective /*collective*/, std::optional<int> /*ranks*/) {
    return {Library{}};
  }
  [[nodiscard]] static std::optional<Library> named(Collective /*collective*/, std::string_view name) {
    return name == native ? std::optional(Library{}) : std::nullopt;
  }
  [[nodiscard]] static std::string name() { return std::string(native); }
  [[nodiscard]] static std::string algorithm_name() { return std::string(native); }
  [[nodiscard]] static std::string says() { return "the MPI library's own way"; }
  [[nodiscard]] static Parameters parameter_values() { return {}; }
  [[nodiscard]] static Attributes attributes() { return {{"algorithm", std::string(native)}}; }
  [[nodiscard]] static std::string group() { return std::string(native); }
  [[nodiscard]] static std::string reduction_order() { return {}; }
  [[nodiscard]] static std::int64_t probe_up_to() { return 0; }
  [[nodiscard]] static int communicators() { return 0; }
  [[nodiscard]] static std::string refusal(const Situation& /*situation*/) { return {}; }
  [[nodiscard]] static const Bound* scheduled() { return nullptr; }
  /// None: nobody knows which algorithm the library chooses.
  [[nodiscard]] static std::optional<Bound> predicted_as() { return std::nullopt; }
};

}  // namespace starling
