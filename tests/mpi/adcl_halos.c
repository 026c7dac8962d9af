/* Written as programs for ADCL are: halo exchange on grids of one to three dimensions, with vectors that the library
 * allocates and vectors of the program's, several halo widths and values per point, corners, shifts, given neighbours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ADCL.h"

static int rank, ranks, faults;

/* The value of a cell by its place in the whole grid. */
static double value_at(const int* place, int value) {
  return 1 + place[0] + 1000.0 * place[1] + 1000000.0 * place[2] + 0.25 * value;
}

/* A topology by the lists of neighbours that a Cartesian communicator has, with those on diagonals. */
static int create_by_lists(int ndims, int* coords, MPI_Comm cart, ADCL_Topology* topo) {
  int nneigh = 0, left[9], right[9], flip[9];
  if (ADCL_Topology_get_cart_number_neighbors(ndims, 1, &nneigh) != ADCL_SUCCESS) ++faults;
  if (ADCL_Topology_get_cart_neighbors(nneigh, left, right, flip, cart) != ADCL_SUCCESS) ++faults;
  return ADCL_Topology_create_generic(ndims, nneigh, left, flip, right, coords, ADCL_DIRECTION_BOTH, cart, topo);
}

/* One exchange on a periodic or open grid, checked cell by cell. Cells that no neighbour fills must stay. */
enum { FACES, CORNERS, CORNERS_BY_LISTS };
static void check(int ndims, int hwidth, int nc, int periodic, int extended, int registered, int starts) {
  int cdims[3] = {0, 0, 0}, periods[3] = {periodic, periodic, periodic}, coords[3] = {0, 0, 0}, dims[3] = {1, 1, 1};
  const int inner[3] = {4, 3, 5};
  const int values = nc == 0 ? 1 : nc;
  MPI_Comm cart;
  ADCL_Vmap vmap;
  ADCL_Vector vec;
  ADCL_Topology topo;
  ADCL_Request request;
  MPI_Dims_create(ranks, ndims, cdims);
  MPI_Cart_create(MPI_COMM_WORLD, ndims, cdims, periods, 0, &cart);
  MPI_Cart_coords(cart, rank, ndims, coords);
  long cells = 1;
  for (int i = 0; i < ndims; ++i) {
    dims[i] = inner[i] + 2 * hwidth;
    cells *= dims[i];
  }
  if (ADCL_Vmap_halo_allocate(hwidth, &vmap) != ADCL_SUCCESS) ++faults;
  double* data = NULL;
  double* one = NULL;
  double** two = NULL;
  double*** three = NULL;
  double**** four = NULL;
  if (registered) {
    data = malloc(sizeof(double) * cells * values);
    if (ADCL_Vector_register_generic(ndims, dims, nc, vmap, MPI_DOUBLE, data, &vec) != ADCL_SUCCESS) ++faults;
  } else {
    const int levels = ndims + (nc > 1);
    void* const places[] = {&one, &two, &three, &four};
    if (ADCL_Vector_allocate_generic(ndims, dims, nc, vmap, MPI_DOUBLE, places[levels - 1], &vec) != ADCL_SUCCESS)
      ++faults;
    data = levels == 1 ? one : levels == 2 ? &two[0][0] : levels == 3 ? &three[0][0][0] : &four[0][0][0][0];
    if (levels == 3 && &three[1][2][0] != data + (dims[1] + 2) * (nc > 1 ? nc : dims[2])) ++faults;
  }
  if ((extended == CORNERS            ? ADCL_Topology_create_extended(cart, &topo)
       : extended == CORNERS_BY_LISTS ? create_by_lists(ndims, coords, cart, &topo)
                                      : ADCL_Topology_create(cart, &topo)) != ADCL_SUCCESS)
    ++faults;
  if (ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request) != ADCL_SUCCESS) ++faults;
  for (int start = 0; start < starts; ++start) {
    long cell = 0;
    for (int pass = 0; pass < 2; ++pass, cell = 0) {
      for (int i = 0; i < dims[0]; ++i) {
        for (int j = 0; j < dims[1]; ++j) {
          for (int k = 0; k < dims[2]; ++k, ++cell) {
            const int at[3] = {i, j, k};
            int outside = 0, beyond = 0, place[3] = {0, 0, 0};
            for (int d = 0; d < ndims; ++d) {
              const int whole = cdims[d] * inner[d];
              place[d] = coords[d] * inner[d] + at[d] - hwidth;
              outside += at[d] < hwidth || at[d] >= hwidth + inner[d];
              if (!periodic && (place[d] < 0 || place[d] >= whole)) beyond = 1;
              place[d] = (place[d] + whole) % whole;
            }
            for (int v = 0; v < values; ++v) {
              double* const it = &data[cell * values + v];
              const int filled = outside == 0 || (!beyond && (outside == 1 || extended));
              if (pass == 0) *it = outside == 0 ? value_at(place, v) + start : -7;
              if (pass == 1 && *it != (filled ? value_at(place, v) + start : -7) && faults++ < 5)
                fprintf(stderr, "rank %d: %d dimensions, halo %d, nc %d, start %d: cell %d %d %d has %g\n", rank, ndims,
                        hwidth, nc, start, i, j, k, *it);
            }
          }
        }
      }
      if (pass == 0 && ADCL_Request_start(request) != ADCL_SUCCESS) ++faults;
    }
  }
  if (ADCL_Request_free(&request) != ADCL_SUCCESS || request != ADCL_REQUEST_NULL) ++faults;
  if ((registered ? ADCL_Vector_deregister(&vec) : ADCL_Vector_free(&vec)) != ADCL_SUCCESS) ++faults;
  if (ADCL_Vmap_free(&vmap) != ADCL_SUCCESS || ADCL_Topology_free(&topo) != ADCL_SUCCESS) ++faults;
  if (registered) free(data);
  MPI_Comm_free(&cart);
}

/* A ring by its neighbours, in one direction only or by a set that shifts. */
static void check_shift(int direction, ADCL_Fnctset set) {
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, flip = rank % 2, coord = rank, dims = 6;
  int line[6];
  ADCL_Topology topo;
  ADCL_Vector vec;
  ADCL_Request request;
  if (ADCL_Topology_create_generic(1, 1, &left, &flip, &right, &coord, direction, MPI_COMM_WORLD, &topo)) ++faults;
  if (ADCL_Vector_register(1, &dims, 1, MPI_INT, line, &vec) != ADCL_SUCCESS) ++faults;
  if (ADCL_Request_create(vec, topo, set, &request) != ADCL_SUCCESS) ++faults;
  const int to_left =
      direction == ADCL_DIRECTION_BOTH ? set != ADCL_fnctset_ltor : direction != ADCL_DIRECTION_LEFT_TO_RIGHT;
  const int to_right =
      direction == ADCL_DIRECTION_BOTH ? set != ADCL_fnctset_rtol : direction != ADCL_DIRECTION_RIGHT_TO_LEFT;
  for (int start = 0; start < 50; ++start) {
    for (int i = 0; i < 6; ++i) line[i] = i % 5 == 0 ? -1 : rank * 10 + i;
    if (ADCL_Request_start(request) != ADCL_SUCCESS) ++faults;
    if (line[0] != (to_right ? left * 10 + 4 : -1) || line[5] != (to_left ? right * 10 + 1 : -1)) ++faults;
  }
  ADCL_Request_free(&request);
  ADCL_Vector_deregister(&vec);
  ADCL_Topology_free(&topo);
}

/* A ring in which coordinates run against the ranks, so that right neighbours of 0 and 1 look like flips, and flips
 * that are all 0 like ranks. Some programs give the flips last. */
static void check_ring(int flips_last, int has_flips) {
  int coord = ranks - 1 - rank, left = (rank + 1) % ranks, right = (rank + ranks - 1) % ranks, dims = 6;
  int flip = has_flips ? coord % 2 : 0;
  int line[6];
  ADCL_Topology topo;
  ADCL_Vector vec;
  ADCL_Request request;
  if (ADCL_Topology_create_generic(1, 1, &left, flips_last ? &right : &flip, flips_last ? &flip : &right, &coord,
                                   ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topo))
    ++faults;
  if (ADCL_Vector_register(1, &dims, 1, MPI_INT, line, &vec) != ADCL_SUCCESS) ++faults;
  if (ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request) != ADCL_SUCCESS) ++faults;
  for (int start = 0; start < 5; ++start) {
    for (int i = 0; i < 6; ++i) line[i] = i % 5 == 0 ? -1 : rank * 10 + i;
    if (ADCL_Request_start(request) != ADCL_SUCCESS) ++faults;
    if (line[0] != left * 10 + 4 || line[5] != right * 10 + 1) ++faults;
  }
  ADCL_Request_free(&request);
  ADCL_Vector_deregister(&vec);
  ADCL_Topology_free(&topo);
}

static int mids, ends, totals;
static void mid(ADCL_Request request) {
  (void)request;
  ++mids;
}
static void end(ADCL_Request request) {
  (void)request;
  ++ends;
}
static void total(ADCL_Request request) {
  (void)request;
  ++totals;
}

static void check_queries(void) {
  int nneigh = 0, cdims[2] = {0, 0}, periods[2] = {1, 0}, dims[2] = {6, 7}, tndims = 0, state = -1, num = 0,
      rank_of = -1, size = 0;
  int left[4], right[4], flip[4], up = 0, down = 0;
  char *name = NULL, *fsname = NULL, **attributes = NULL, **value_names = NULL;
  int* values = NULL;
  double matrix[6][7];
  MPI_Comm cart, comm;
  ADCL_Topology topo;
  ADCL_Vector vec, vec2;
  ADCL_Vmap vmap;
  ADCL_Request request;
  if (ADCL_Topology_get_cart_number_neighbors(2, 1, &nneigh) != ADCL_SUCCESS || nneigh != 4) ++faults;
  if (ADCL_Topology_get_cart_number_neighbors(3, 1, &nneigh) != ADCL_SUCCESS || nneigh != 9) ++faults;
  if (ADCL_Topology_get_cart_number_neighbors(3, 0, &nneigh) != ADCL_SUCCESS || nneigh != 3) ++faults;
  MPI_Dims_create(ranks, 2, cdims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, cdims, periods, 0, &cart);
  if (ADCL_Topology_get_cart_neighbors(4, left, right, flip, cart) != ADCL_SUCCESS) ++faults;
  MPI_Cart_shift(cart, 1, 1, &up, &down);
  if (left[1] != up || right[1] != down || (flip[0] != 0 && flip[0] != 1)) ++faults;
  if (ADCL_Topology_get_cart_neighbors(3, left, right, flip, cart) != ADCL_INVALID_ARG) ++faults;
  ADCL_Topology_create(cart, &topo);
  ADCL_Vector_register(2, dims, 1, MPI_DOUBLE, matrix, &vec);
  ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &request);
  for (int i = 0; i < 6 * 7; ++i) matrix[i / 7][i % 7] = 0;
  if (ADCL_Request_get_state(request, &state) != ADCL_SUCCESS || state != 1) ++faults;
  for (int i = 0; i < 40; ++i) {
    if (ADCL_Request_init(request) != ADCL_SUCCESS || ADCL_Request_progress(request, 2) != ADCL_SUCCESS) ++faults;
    if (ADCL_Request_progress(request) != ADCL_SUCCESS || ADCL_Request_wait(request) != ADCL_SUCCESS) ++faults;
    if (ADCL_Request_start_overlap(request, mid, end, total) != ADCL_SUCCESS) ++faults;
  }
  if (mids != ends || mids + totals != 40 || mids == 0) ++faults;
  if (ADCL_Request_get_comm(request, &comm, &rank_of, &size) != ADCL_SUCCESS || rank_of != rank || size != ranks)
    ++faults;
  if (ADCL_Request_get_curr_function(request, &name, &attributes, &num, &value_names, &values) != ADCL_SUCCESS)
    ++faults;
  if (num != 3 || name == NULL || name[0] == '\0') ++faults;
  for (int i = 0; i < num; ++i) {
    free(attributes[i]);
    free(value_names[i]);
  }
  free(name);
  free(attributes);
  free(value_names);
  free(values);
  if (ADCL_Request_get_curr_function(request, NULL, NULL, &num, NULL, NULL) != ADCL_SUCCESS) ++faults;
  if (ADCL_Request_get_fsname(request, &fsname) != ADCL_SUCCESS ||
      ADCL_Request_get_tndims(request, &tndims) != ADCL_SUCCESS)
    ++faults;
  if (tndims != 2) ++faults;
  free(fsname);
  /* Errors */
  if (ADCL_Vmap_halo_allocate(-1, &vmap) != ADCL_INVALID_HWIDTH) ++faults;
  ADCL_Vmap_halo_allocate(4, &vmap);
  if (ADCL_Vector_register_generic(2, dims, 0, vmap, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_HWIDTH) ++faults;
  int wide[2] = {10, 10}, empty[2] = {0, 10};
  if (ADCL_Vector_register_generic(2, empty, 0, vmap, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_DIMS) ++faults;
  if (ADCL_Vector_register_generic(2, wide, 0, vmap, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_HWIDTH) ++faults;
  if (ADCL_Vector_register_generic(-1, dims, 0, vmap, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_NDIMS) ++faults;
  if (ADCL_Vector_register_generic(2, dims, -1, vmap, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_NC) ++faults;
  if (ADCL_Vector_register_generic(2, dims, 0, ADCL_VMAP_NULL, MPI_DOUBLE, matrix, &vec2) != ADCL_INVALID_VMAP)
    ++faults;
  if (ADCL_Vector_register(2, dims, 1, MPI_DATATYPE_NULL, matrix, &vec2) != ADCL_INVALID_DAT) ++faults;
  if (ADCL_Topology_create(MPI_COMM_WORLD, &topo) != ADCL_INVALID_COMM) ++faults;
  if (ADCL_Vector_free(&vec) != ADCL_INVALID_VECTOR) ++faults;
  ADCL_Vmap_free(&vmap);
  ADCL_Request copy = request;
  ADCL_Request_free(&request);
  if (ADCL_Request_start(copy) != ADCL_INVALID_REQUEST || ADCL_Request_start(ADCL_REQUEST_NULL) != ADCL_INVALID_REQUEST)
    ++faults;
  ADCL_Vector_deregister(&vec);
  if (ADCL_Topology_dump(topo) != ADCL_SUCCESS) ++faults;
  ADCL_Topology_free(&topo);
  MPI_Comm_free(&cart);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ADCL_Init() != ADCL_SUCCESS) ++faults;
  for (int ndims = 1; ndims <= 3; ++ndims)
    for (int hwidth = 1; hwidth <= 2; ++hwidth)
      for (int periodic = 0; periodic <= 1; ++periodic)
        check(ndims, hwidth, (ndims + hwidth + periodic) % 3, periodic, (ndims + hwidth) % 2, periodic, 3);
  check(2, 1, 0, 0, 1, 1, 3);
  check(3, 1, 0, 0, 0, 0, 150);
  for (int periodic = 0; periodic <= 1; ++periodic) {
    check(2, 1 + periodic, 0, periodic, CORNERS_BY_LISTS, 1, 60);
    check(3, 1, 2, periodic, CORNERS_BY_LISTS, 0, 60);
  }
  check_shift(ADCL_DIRECTION_BOTH, ADCL_FNCTSET_NEIGHBORHOOD);
  check_shift(ADCL_DIRECTION_LEFT_TO_RIGHT, ADCL_FNCTSET_NEIGHBORHOOD);
  check_shift(ADCL_DIRECTION_RIGHT_TO_LEFT, ADCL_FNCTSET_NEIGHBORHOOD);
  check_shift(ADCL_DIRECTION_BOTH, ADCL_fnctset_ltor);
  check_shift(ADCL_DIRECTION_BOTH, ADCL_fnctset_rtol);
  check_shift(ADCL_DIRECTION_LEFT_TO_RIGHT, ADCL_FNCTSET_SHIFT);
  check_shift(ADCL_DIRECTION_RIGHT_TO_LEFT, ADCL_FNCTSET_SHIFT);
  for (int i = 0; i < 4; ++i) check_ring(i % 2, i / 2);
  check_queries();
  /* What a program forgets to free it cannot use after MPI, nor free: an error, and no call of MPI. */
  int line = ranks, open = 0, dims = 6;
  double data[6] = {0, 0, 0, 0, 0, 0};
  MPI_Comm cart;
  ADCL_Topology topo;
  ADCL_Vector vec;
  ADCL_Request late;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &line, &open, 0, &cart);
  if (ADCL_Topology_create(cart, &topo) || ADCL_Vector_register(1, &dims, 1, MPI_DOUBLE, data, &vec) ||
      ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &late) || ADCL_Request_start(late))
    ++faults;
  int all = 0;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  ADCL_Finalize();
  MPI_Finalize();
  all += ADCL_Request_start(late) != ADCL_ERROR_INTERNAL || ADCL_Request_init(late) != ADCL_ERROR_INTERNAL;
  all += ADCL_Request_free(&late) != ADCL_ERROR_INTERNAL || ADCL_Topology_free(&topo) != ADCL_ERROR_INTERNAL;
  return all != 0;
}
