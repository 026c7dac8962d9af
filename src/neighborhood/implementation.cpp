#include "neighborhood/implementation.hpp"

namespace starling::neighborhood {

std::string Implementation::name() const {
  std::string name(transfer_names.at(static_cast<std::size_t>(transfer)));
  name += '_';
  name += partners_names.at(static_cast<std::size_t>(partners));
  if (handling == Handling::pack) name += "_pack";
  return name;
}

std::string Implementation::says() const {
  static constexpr std::array<std::string_view, transfer_names.size()> functions{
      "MPI_Isend and MPI_Irecv",
      "MPI_Send and MPI_Irecv",
      "MPI_Send and MPI_Recv, every second rank the other way round",
      "MPI_Sendrecv",
      "MPI_Put between fences",
      "MPI_Get between fences",
      "MPI_Put between post and wait, start and complete",
      "MPI_Get between post and wait, start and complete"};
  std::string text = partners == Partners::aao ? "all partners at once by " : "partners pair by pair by ";
  text += functions.at(static_cast<std::size_t>(transfer));
  return text + (handling == Handling::ddt ? "; derived datatypes" : "; packed by Starling");
}

std::string infeasible(const Implementation& combination) {
  const bool receives_at_once =
      combination.transfer == Transfer::send_recv || combination.transfer == Transfer::sendrecv;
  if (receives_at_once && combination.partners == Partners::aao)
    return "a receive that blocks serves one partner at a time";
  if (is_one_sided(combination.transfer) && combination.handling == Handling::pack)
    return "one-sided transfers write to where the data belongs, and nobody would unpack it";
  return {};
}

const std::vector<Implementation>& implementations() {
  // Never destroyed: a program may call MPI while its own statics are destroyed.
  static const auto& all = *new std::vector<Implementation>([] {
    std::vector<Implementation> feasible;
    for (std::size_t transfer = 0; transfer < transfer_names.size(); ++transfer)
      for (const Handling handling : {Handling::ddt, Handling::pack})
        for (const Partners partners : {Partners::aao, Partners::pair})
          if (const Implementation one{partners, handling, static_cast<Transfer>(transfer)}; infeasible(one).empty())
            feasible.push_back(one);
    return feasible;
  }());
  return all;
}

std::optional<Implementation> implementation_named(std::string_view name) {
  for (const Implementation& one : implementations())
    if (one.name() == name) return one;
  return std::nullopt;
}

}  // namespace starling::neighborhood
