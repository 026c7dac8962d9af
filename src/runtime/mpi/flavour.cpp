#include "runtime/mpi/flavour.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <string_view>

namespace starling {

namespace {

std::string library_version() {
  // For the largest MPI_MAX_LIBRARY_VERSION_STRING of any library: the loaded one may differ from this build's.
  std::string text(16384, '\0');
  int length = 0;
  reinterpret_cast<int (*)(char*, int*)>(mpi_symbol("PMPI_Get_library_version"))(text.data(), &length);
  text.resize(text.find('\0'));
  return text;
}

std::string maker(const std::string& version, Abi abi) {
  if (version.find("Intel(R) MPI") != std::string::npos) return "intel";
  if (abi == Abi::openmpi) return "openmpi";
  if (abi == Abi::smpi) return "smpi";
  return abi == Abi::mpich || version.find("MPICH") != std::string::npos ? "mpich" : "mpi-abi";
}

/// The first number of several parts in a library's own words: "4.1.4".
std::string version_in(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  std::size_t begin = text.find_first_of(digits);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    const std::string_view number = text.substr(begin, text.find_last_of(digits, end - 1) + 1 - begin);
    if (number.find('.') != std::string_view::npos) return std::string(number);
    begin = text.find_first_of(digits, end);
  }
  return {};
}

Flavour find_flavour() {
  Flavour found;
  found.path = loaded_mpi().path;
  if (found.path.empty()) return found;
  found.abi = loaded_mpi().abi.value_or(Abi::mpich);
  const std::string text = library_version();
  found.name = maker(text, found.abi);
  found.version = version_in(text);
  return found;
}

}  // namespace

const Flavour& flavour() {
  static const Flavour& found = *new Flavour(find_flavour());  // for calls of MPI while statics are destroyed
  return found;
}

bool active() {
  static const bool fits = getauxval(AT_SECURE) == 0 && !flavour().path.empty() && flavour().abi == built_for;
  return fits;
}

}  // namespace starling
