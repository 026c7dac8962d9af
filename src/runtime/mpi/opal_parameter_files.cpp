#include "runtime/mpi/opal_parameter_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/mpi/loaded.hpp"

namespace starling {
namespace {

constexpr std::string_view blanks = " \t";

std::vector<std::string> parameter_files() {
  std::vector<std::string> files;
  for (const char* const name : {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files"}) {
    const char* const named = std::getenv(name);
    if (named == nullptr) continue;
    const std::string_view all(named);
    for (std::size_t begin = 0; begin <= all.size();) {
      const std::size_t end = std::min(all.find_first_of(",:", begin), all.size());
      files.emplace_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    return files;
  }
  if (const char* const home = std::getenv("HOME")) files.push_back(std::string(home) + "/.openmpi/mca-params.conf");
  // Debian's, and that of an installation in a folder of its own.
  const std::string library = loaded_mpi().path;
  files.emplace_back("/etc/openmpi/openmpi-mca-params.conf");
  files.push_back(library.substr(0, library.rfind('/') + 1) + "../etc/openmpi-mca-params.conf");
  return files;
}

}  // namespace

std::string parameter_in_files(std::string_view prefix) {
  for (const std::string& name : parameter_files()) {
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
      const std::size_t begin = line.find_first_not_of(blanks);
      if (begin == std::string::npos || !std::string_view(line).substr(begin).starts_with(prefix)) continue;
      return line.substr(begin, line.find_first_of(" \t=", begin) - begin) + " in " + name;
    }
  }
  return {};
}

}  // namespace starling
