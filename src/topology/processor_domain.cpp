#include "topology/processor_domain.hpp"

#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "messages/number.hpp"

namespace starling {
namespace {

constexpr int most_numbers = 1 << 16;
/// Sockets are numbered from here on, so that none has the number of a NUMA node.
constexpr int first_socket = 1 << 20;

std::string line_of(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// Of a processor, node or socket.
std::optional<int> index_in(std::string_view text) {
  return number_in<int>(text, 0, most_numbers - 1);
}

/// The numbers of a list like "0-3,8-11"; empty for one that is no such list.
std::vector<int> listed_numbers(std::string_view text) {
  std::vector<int> found;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(text.size() == range.size() ? range.size() : range.size() + 1);
    const std::size_t dash = range.find('-');
    const auto first = index_in(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : index_in(range.substr(dash + 1));
    if (!first || !last) return {};
    for (int number = *first; number <= *last; ++number) found.push_back(number);
  }
  return found;
}

std::vector<int> numbers_of_bits(std::span<const std::uint64_t> bits) {
  constexpr int in_a_word = 64;
  std::vector<int> found;
  for (int number = 0; number < static_cast<int>(bits.size()) * in_a_word; ++number)
    if ((bits[static_cast<std::size_t>(number / in_a_word)] >> (number % in_a_word) & 1U) != 0) found.push_back(number);
  return found;
}

/// The NUMA node that all processors are on; nothing if that is none of several.
std::optional<int> numa_node_of(const std::vector<int>& processors, const std::string& system) {
  const std::vector<int> nodes = listed_numbers(line_of(system + "/node/online"));
  if (nodes.size() < 2) return std::nullopt;
  for (const int node : nodes) {
    std::vector<bool> has(most_numbers);
    for (const int one : listed_numbers(line_of(system + "/node/node" + std::to_string(node) + "/cpulist")))
      has[static_cast<std::size_t>(one)] = true;
    if (!has[static_cast<std::size_t>(processors.front())]) continue;
    for (const int one : processors)
      if (!has[static_cast<std::size_t>(one)]) return std::nullopt;
    return node;
  }
  return std::nullopt;
}

std::optional<int> socket_of(int processor, const std::string& system) {
  return index_in(line_of(system + "/cpu/cpu" + std::to_string(processor) + "/topology/physical_package_id"));
}

}  // namespace

int domain_of_processors(std::span<const std::uint64_t> processors, const std::string& system) {
  const std::vector<int> numbers = numbers_of_bits(processors);
  if (numbers.empty()) return -1;
  if (const auto node = numa_node_of(numbers, system)) return *node;
  const auto socket = socket_of(numbers.front(), system);
  if (!socket) return -1;
  // From the last one on: if a process may run everywhere, it is mostly in another socket than the first one.
  for (auto one = numbers.rbegin(); one != numbers.rend(); ++one)
    if (socket_of(*one, system) != socket) return -1;
  return first_socket + *socket;
}

}  // namespace starling
