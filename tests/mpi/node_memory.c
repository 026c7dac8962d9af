/* Collectives of 1 byte, or of as many as stand before a `-`, up to the bytes of the first argument, whose results are
 * known, on ranks of a node that share memory. What the system does then is up to this program. By the second argument,
 * of memory of other processes:
 *
 * - reads: reads and writes what it is asked to
 * - partly: in large calls reads and writes at most 100000 bytes at once, and every third time nothing
 * - slowly: takes a millisecond before it reads much at once, and leaves the processor to others
 * - only-reads: the same, and no process may write another
 * - changes: on rank 1, after the first large call, the process may read and write no other any more
 * - refuses: no process may read or write another
 * - others: finds another process of that number
 * - secret: reads all but the buffers, which other processes cannot read
 * - killed: the process of rank 0 is killed while it takes part in large calls
 * - reader-killed: that of the last rank, which takes what rank 0 has
 *
 * A third argument `no-memfd` refuses anonymous files. Prints, after the calls of a size, the bytes that rank 0 has
 * read of other processes; at the end how many it has written into them, how often it was not allowed to, how large the
 * memory is that ranks share, how many bytes of files a rank had the system find, the least and the most of all ranks,
 * and how often rank 0 asked for the processors that it may run on. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { most = 1 << 23, most_ranks = 8, most_partly = 100000 };

static const char* does = "reads";
static int forbidden = 0;
static int bytes_now = 0; /* of the calls */
static long read_bytes = 0;
static long written_bytes = 0;
static long copies = 0;
static int refused_writes = 0;

static int refuses_memfd = 0;
static int asked_for_processors = 0;
static int shared_file = -1;
static long shared_bytes = 0;
static long found_bytes = 0;

/* These stand before the C library's, also for the preloaded library. */
int memfd_create(const char* name, unsigned flags) {
  if (refuses_memfd) {
    errno = EPERM;
    return -1;
  }
  const int file = (int)syscall(SYS_memfd_create, name, flags);
  if (strcmp(name, "starling") == 0) shared_file = file;
  return file;
}

int ftruncate(int file, off_t bytes) {
  if (file == shared_file) shared_bytes = bytes;
  return (int)syscall(SYS_ftruncate, file, bytes);
}

int posix_fallocate(int file, off_t first, off_t bytes) {
  found_bytes += bytes;
  return syscall(SYS_fallocate, file, 0, first, bytes) == 0 ? 0 : errno;
}

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t* set) {
  const int many = bytes > sizeof *set; /* as Starling asks */
  if (many) ++asked_for_processors;
  const long done = syscall(SYS_sched_getaffinity, pid, bytes, set);
  if (done < 0) return -1;
  memset((char*)set + done, 0, bytes - (size_t)done);
  return 0;
}

/* Whether anything may be copied; shortens what is. */
static int may_copy(struct iovec* here) {
  if (forbidden) {
    errno = EPERM;
    return 0;
  }
  if (strcmp(does, "partly") == 0 && bytes_now >= 1 << 19 && here->iov_len > sizeof(long)) {
    if (++copies % 3 == 0) {
      errno = EFAULT;
      return 0;
    }
    if (here->iov_len > most_partly) here->iov_len = most_partly;
  }
  return 1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec* here, unsigned long heres, const struct iovec* there,
                         unsigned long theres, unsigned long flags) {
  struct iovec less = *here;
  if (!may_copy(&less)) return -1;
  const int is_slow = strcmp(does, "slowly") == 0 || strcmp(does, "only-reads") == 0;
  const struct timespec millisecond = {.tv_nsec = 1000000};
  if (is_slow && less.iov_len >= 65536) nanosleep(&millisecond, NULL);
  const ssize_t done = syscall(SYS_process_vm_readv, pid, &less, heres, there, theres, flags);
  if (done == (ssize_t)sizeof(long) && strcmp(does, "others") == 0) ++*(char*)less.iov_base;
  if (done > 0) read_bytes += done;
  return done;
}

ssize_t process_vm_writev(pid_t pid, const struct iovec* here, unsigned long heres, const struct iovec* there,
                          unsigned long theres, unsigned long flags) {
  struct iovec less = *here;
  if (!may_copy(&less)) return -1;
  if (strcmp(does, "only-reads") == 0) {
    ++refused_writes;
    errno = EPERM;
    return -1;
  }
  const ssize_t done = syscall(SYS_process_vm_writev, pid, &less, heres, there, theres, flags);
  if (done > 0) written_bytes += done;
  return done;
}

static int rank = 0;
static int ranks = 0;
static unsigned char* send = NULL;
static unsigned char* recv = NULL;

/* Any bytes; what `from` has for `to` begins at a place of its own. */
static unsigned char any[most + (1 << 10)];

static const unsigned char* value(int from, int to) {
  return any + (61 * from) + (17 * to);
}

static void fill(unsigned char* data, int from, int to, int count) {
  memcpy(data, value(from, to), (size_t)count);
}

static void clear(int blocks, int count) {
  memset(recv, 0, (size_t)blocks * (unsigned)count);
}

static void must_be(const char* what, const unsigned char* data, const unsigned char* expected, int count) {
  if (memcmp(data, expected, (size_t)count) == 0) return;
  int i = 0;
  while (data[i] == expected[i]) ++i;
  fprintf(stderr, "rank %d: %s of %d bytes: byte %d is wrong\n", rank, what, count, i);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(const char* what, const unsigned char* data, int from, int to, int count) {
  must_be(what, data, value(from, to), count);
}

/* Whether `recv` combines what the ranks before `end` have for `to`. Bits, for Open MPI 4.1 adds bytes in another way
 * where it has vectors of them. */
static void check_combined(const char* what, int count, int to, int end) {
  static unsigned char all[most];
  fill(all, 0, to, count);
  for (int from = 1; from < end; ++from) {
    const unsigned char* const its = value(from, to);
    for (int i = 0; i < count; ++i) all[i] ^= its[i];
  }
  must_be(what, recv, all, count);
}

/* Numbers eight bytes apart, whose gaps must stay as they are. */
static void add_apart(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[2 * i] += ((int*)in)[2 * i];
}

static void reduce_apart(int count) {
  MPI_Datatype apart;
  MPI_Op add;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
  MPI_Type_commit(&apart);
  MPI_Op_create(add_apart, 1, &add);
  int* const from = (int*)send;
  int* const into = (int*)recv;
  for (int i = 0; i < 2 * count; ++i) from[i] = i % 2 == 0 ? rank + i : -1;
  for (int i = 0; i < 2 * count; ++i) into[i] = -2;
  MPI_Allreduce(from, into, count, apart, add, MPI_COMM_WORLD);
  for (int i = 0; i < 2 * count; ++i)
    if (into[i] != (i % 2 == 0 ? (ranks * (ranks - 1) / 2) + (ranks * i) : -2)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Op_free(&add);
  MPI_Type_free(&apart);
}

static void call_all(int count, int root) {
  int counts[most_ranks];
  int places[most_ranks];
  for (int one = 0; one < ranks; ++one) {
    counts[one] = count;
    places[one] = one * count;
  }
  if (rank == root) fill(recv, root, 0, count);
  MPI_Bcast(recv, count, MPI_BYTE, root, MPI_COMM_WORLD);
  check("bcast", recv, root, 0, count);

  fill(send, rank, 0, count);
  clear(1, count);
  MPI_Reduce(send, recv, count, MPI_BYTE, MPI_BXOR, root, MPI_COMM_WORLD);
  if (rank == root) check_combined("reduce", count, 0, ranks);

  clear(ranks, count);
  MPI_Gather(send, count, MPI_BYTE, recv, count, MPI_BYTE, root, MPI_COMM_WORLD);
  for (int one = 0; rank == root && one < ranks; ++one) check("gather", recv + places[one], one, 0, count);
  clear(ranks, count);
  MPI_Gatherv(send, count, MPI_BYTE, recv, counts, places, MPI_BYTE, root, MPI_COMM_WORLD);
  for (int one = 0; rank == root && one < ranks; ++one) check("gatherv", recv + places[one], one, 0, count);

  for (int one = 0; one < ranks; ++one) fill(send + places[one], root, one, count);
  clear(1, count);
  MPI_Scatter(send, count, MPI_BYTE, recv, count, MPI_BYTE, root, MPI_COMM_WORLD);
  check("scatter", recv, root, rank, count);
  clear(1, count);
  MPI_Scatterv(send, counts, places, MPI_BYTE, recv, count, MPI_BYTE, root, MPI_COMM_WORLD);
  check("scatterv", recv, root, rank, count);

  fill(send, rank, 0, count);
  clear(1, count);
  MPI_Allreduce(send, recv, count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  check_combined("allreduce", count, 0, ranks);
  fill(recv, rank, 0, count);
  MPI_Allreduce(MPI_IN_PLACE, recv, count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  check_combined("allreduce in place", count, 0, ranks);
  clear(1, count);
  MPI_Scan(send, recv, count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  check_combined("scan", count, 0, rank + 1);
  clear(1, count);
  MPI_Exscan(send, recv, count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  if (rank > 0) check_combined("exscan", count, 0, rank);

  clear(ranks, count);
  MPI_Allgather(send, count, MPI_BYTE, recv, count, MPI_BYTE, MPI_COMM_WORLD);
  for (int one = 0; one < ranks; ++one) check("allgather", recv + places[one], one, 0, count);
  clear(ranks, count);
  MPI_Allgatherv(send, count, MPI_BYTE, recv, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  for (int one = 0; one < ranks; ++one) check("allgatherv", recv + places[one], one, 0, count);

  for (int one = 0; one < ranks; ++one) fill(send + places[one], rank, one, count);
  clear(ranks, count);
  MPI_Alltoall(send, count, MPI_BYTE, recv, count, MPI_BYTE, MPI_COMM_WORLD);
  for (int one = 0; one < ranks; ++one) check("alltoall", recv + places[one], one, rank, count);
  clear(ranks, count);
  MPI_Alltoallv(send, counts, places, MPI_BYTE, recv, counts, places, MPI_BYTE, MPI_COMM_WORLD);
  for (int one = 0; one < ranks; ++one) check("alltoallv", recv + places[one], one, rank, count);
  clear(1, count);
  MPI_Reduce_scatter_block(send, recv, count, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  check_combined("reduce_scatter_block", count, rank, ranks);
  clear(1, count);
  MPI_Reduce_scatter(send, recv, counts, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  check_combined("reduce_scatter", count, rank, ranks);
  memcpy(recv, send, (size_t)ranks * (unsigned)count);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, count, MPI_BYTE, MPI_COMM_WORLD);
  for (int one = 0; one < ranks; ++one) check("alltoall in place", recv + places[one], one, rank, count);
  MPI_Barrier(MPI_COMM_WORLD);
}

static unsigned char* buffer(void) {
  const size_t all = (size_t)most * most_ranks;
#ifdef SYS_memfd_secret
  if (strcmp(does, "secret") == 0) {
    const int file = (int)syscall(SYS_memfd_secret, 0);
    if (file < 0 || ftruncate(file, (off_t)all) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
    void* const memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 3);
    return memory;
  }
#endif
  return malloc(all);
}

static void* kill_this(void* unused) {
  (void)unused;
  raise(SIGKILL);
  return NULL;
}

int main(int argc, char** argv) {
  static const int counts[] = {1, 48, 49, 16384, 16385, 524288, most - 1, most};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  refuses_memfd = argc > 3 && strcmp(argv[3], "no-memfd") == 0;
  if (argc < 3 || ranks > most_ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  const char* const dash = strchr(argv[1], '-');
  const int least = dash != NULL ? atoi(argv[1]) : 1;
  const int largest = atoi(dash != NULL ? dash + 1 : argv[1]);
  does = argv[2];
  send = buffer();
  recv = buffer();
  for (unsigned i = 0; i < sizeof any; ++i) any[i] = (unsigned char)((i * 2654435761U) >> 24);
  forbidden = strcmp(does, "refuses") == 0;
  const int kills_reader = strcmp(does, "reader-killed") == 0;
  if (kills_reader || strcmp(does, "killed") == 0) {
    pthread_t killer;
    call_all(most, 1);
    if (rank == (kills_reader ? ranks - 1 : 0)) pthread_create(&killer, NULL, kill_this, NULL);
    for (;;) MPI_Bcast(recv, most, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    read_bytes = 0;
    if (counts[i] > largest) break;
    if (counts[i] < least) continue;
    bytes_now = counts[i];
    call_all(counts[i], (int)(i + 1) % ranks);
    if (rank == 0) printf("%d: %ld\n", counts[i], read_bytes);
    if (strcmp(does, "changes") == 0 && rank == 1 && counts[i] >= 1 << 19) forbidden = 1;
  }
  reduce_apart(1 << 15);
  long least_found, most_found;
  PMPI_Reduce(&found_bytes, &least_found, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&found_bytes, &most_found, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("written: %ld\nrefused: %d\n", written_bytes, refused_writes);
    printf("shared: %ld\nfound at least: %ld\nfound at most: %ld\n", shared_bytes, least_found, most_found);
    printf("processors: %d\n", asked_for_processors);
  }
  MPI_Finalize();
  return 0;
}
