#include <starling/starling.h>

#include "runtime/job/job.hpp"

extern "C" {

__attribute__((visibility("default"))) const char* starling_version() {
  return STARLING_VERSION;
}

__attribute__((visibility("default"))) int starling_is_active() {
  return starling::job().running ? 1 : 0;
}
}
