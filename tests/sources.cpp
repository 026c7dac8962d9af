#include "sources.hpp"

namespace starling {

std::filesystem::path source_root() {
  return STARLING_SOURCES;
}

}  // namespace starling
