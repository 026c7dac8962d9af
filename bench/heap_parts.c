/* Where a program's heap goes between two calls of mallinfo2: preload it. At every second call of mallinfo2 it writes
   what was allocated since the first and is not freed, to the file HEAP_PARTS followed by the process's number:
   a line for each place, with bytes as malloc counts them, blocks, and the callers, innermost first, as library+offset.
   One thread allocates at a time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { depth = 24, hidden = 2, slots = 1 << 20 };

struct block {
  void* at; /* NULL: free; see `gone` */
  size_t bytes;
  int frames;
  void* callers[depth];
};

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t many, size_t bytes);
void* __libc_realloc(void* at, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* at);
/* Where a block was, that later ones may lie behind. */
static char gone;
static struct block* blocks;
static int counts, busy, calls;

static size_t place(const void* at) {
  return ((uintptr_t)at >> 4) * 0x9e3779b97f4a7c15U % slots;
}

static void* added(void* at) {
  if (!counts || busy || at == NULL) return at;
  busy = 1;
  size_t i = place(at);
  while (blocks[i].at != NULL && blocks[i].at != &gone) i = (i + 1) % slots;
  void* callers[depth + hidden];
  const int frames = backtrace(callers, depth + hidden) - hidden;
  blocks[i].at = at;
  blocks[i].bytes = malloc_usable_size(at) + sizeof(size_t);
  blocks[i].frames = frames < 0 ? 0 : frames;
  memcpy(blocks[i].callers, callers + hidden, sizeof blocks[i].callers);
  busy = 0;
  return at;
}

static void removed(const void* at) {
  if (!counts || busy || at == NULL) return;
  for (size_t i = place(at); blocks[i].at != NULL; i = (i + 1) % slots)
    if (blocks[i].at == at) {
      blocks[i].at = &gone;
      return;
    }
}

void* malloc(size_t bytes) {
  return added(__libc_malloc(bytes));
}
void* calloc(size_t many, size_t bytes) {
  return added(__libc_calloc(many, bytes));
}
void* memalign(size_t alignment, size_t bytes) {
  return added(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return added(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** at, size_t alignment, size_t bytes) {
  *at = added(__libc_memalign(alignment, bytes));
  return *at == NULL ? 12 : 0;
}
void free(void* at) {
  removed(at);
  __libc_free(at);
}
void* realloc(void* at, size_t bytes) {
  removed(at);
  return added(__libc_realloc(at, bytes));
}

static void report(void) {
  const char* prefix = getenv("HEAP_PARTS");
  char path[4096];
  snprintf(path, sizeof path, "%s%d", prefix != NULL ? prefix : "heap-parts-", (int)getpid());
  FILE* out = fopen(path, "w");
  if (out == NULL) return;
  for (size_t i = 0; i < slots; ++i) {
    if (blocks[i].at == NULL || blocks[i].at == &gone) continue;
    fprintf(out, "%zu", blocks[i].bytes);
    for (int frame = 0; frame < blocks[i].frames; ++frame) {
      Dl_info where;
      if (dladdr(blocks[i].callers[frame], &where) == 0 || where.dli_fname == NULL) continue;
      /* A return address: the call is before it. */
      fprintf(out, " %s+0x%zx", where.dli_fname,
              (size_t)((char*)blocks[i].callers[frame] - (char*)where.dli_fbase - 1));
    }
    fputc('\n', out);
  }
  fclose(out);
}

struct mallinfo2 mallinfo2(void) {
  struct mallinfo2 (*real)(void) = (struct mallinfo2(*)(void))dlsym(RTLD_NEXT, "mallinfo2");
  busy = 1;
  const int begins = calls++ % 2 == 0;
  if (blocks == NULL) {
    void* first[1];
    backtrace(first, 1); /* loads what it needs */
    blocks = __libc_calloc(slots, sizeof *blocks);
    if (blocks == NULL) abort();
  }
  counts = 0;
  if (begins) {
    memset(blocks, 0, slots * sizeof *blocks);
    counts = 1;
  } else {
    report();
  }
  const struct mallinfo2 now = real();
  busy = 0;
  return now;
}
