#include <starling/starling.h>

#include "runtime/state.hpp"

extern "C" {

__attribute__((visibility("default"))) const char* starling_version() {
  return STARLING_VERSION;
}

__attribute__((visibility("default"))) int starling_is_active() {
  return starling::state().running ? 1 : 0;
}
}
