// A library that has a function of its own under a name of MPI's Fortran interface, as R's Rmpi has (OWN), and a
// program without Fortran that opens it.
#ifdef OWN

int mpi_bcast(int of);
int ask(int of);

int mpi_bcast(int of) {
  return of + 1;
}

int ask(int of) {
  return mpi_bcast(of);
}

#else

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*ask)(int) = 0;
  if (library) *(void**)&ask = dlsym(library, "ask");
  int answer = ask ? ask(41) : 0;
  MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("answer %d\n", answer);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}

#endif
