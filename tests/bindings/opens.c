// Opens a library without making its symbols public, and calls its function `opened`.
#include <dlfcn.h>

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  void (*opened)(void) = 0;
  if (library) *(void**)&opened = dlsym(library, "opened");
  if (!opened) return 1;
  opened();
  return 0;
}
