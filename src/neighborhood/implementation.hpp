#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling::neighborhood {

/// How many partners a rank communicates with at a time.
enum class Partners : std::uint8_t {
  aao,  ///< all at once
  pair  ///< round by round, with one to send to and one to receive from
};

/// How cells that do not lie one behind the other are handled.
enum class Handling : std::uint8_t {
  ddt,  ///< the MPI library reads and writes them by derived datatypes
  pack  ///< they are packed into plain bytes before, and unpacked after
};

/// The MPI functions that move the data.
enum class Transfer : std::uint8_t {
  isend_irecv,
  send_irecv,
  send_recv,
  sendrecv,
  put_fence,
  get_fence,
  put_post_start,
  get_post_start
};

inline constexpr std::array<std::string_view, 2> partners_names{"aao", "pair"};
inline constexpr std::array<std::string_view, 2> handling_names{"ddt", "pack"};
/// As the names of implementations begin in table 1 of Gabriel, Feki, Benkert, Resch 2008 ("Towards Performance and
/// Portability through Runtime Adaption for High Performance Computing Applications"), spelt as there.
inline constexpr std::array<std::string_view, 8> transfer_names{
    "IsendIrecv", "SendIrecv", "SendRecv", "Sendrecv", "WinfecePut", "WinfeceGet", "PostStartPut", "PostStartGet"};

constexpr bool is_one_sided(Transfer transfer) {
  return transfer >= Transfer::put_fence;
}
/// Whether the receiver fetches the data.
constexpr bool is_get(Transfer transfer) {
  return transfer == Transfer::get_fence || transfer == Transfer::get_post_start;
}
/// Whether epochs are opened and closed by all ranks together.
constexpr bool has_fences(Transfer transfer) {
  return transfer == Transfer::put_fence || transfer == Transfer::get_fence;
}

/// One way to exchange data with neighbours: ADCL's function of its set for neighbourhood communication.
struct Implementation {
  Partners partners = Partners::aao;
  Handling handling = Handling::ddt;
  Transfer transfer = Transfer::isend_irecv;

  /// "IsendIrecv_aao", "Sendrecv_pair_pack": the name in table 1.
  [[nodiscard]] std::string name() const;
  /// What it does, in a sentence without a full stop.
  [[nodiscard]] std::string says() const;
  bool operator==(const Implementation&) const = default;
};

/// Why a combination of attributes makes no implementation, a sentence without a full stop; empty if it does.
std::string infeasible(const Implementation& combination);

/// All combinations that are feasible: the 20 of table 1.
const std::vector<Implementation>& implementations();

/// Names of the function sets for patterns whose functions these are: both halos of each dimension, and one of them.
inline constexpr std::array<std::string_view, 3> set_names{"neighborhood", "shift_ltor", "shift_rtol"};

/// The implementation of that name, or nothing.
std::optional<Implementation> implementation_named(std::string_view name);

}  // namespace starling::neighborhood
