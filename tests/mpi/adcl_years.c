/* Written as programs for ADCL were over the years: vectors with and without the values of a point, with a kind, with a
 * map, allocated or the program's own, of 1 to 4 dimensions; neighbours with and without flips; handles freed in any
 * order. */
#include <string.h>

#include "ADCL.h"
#include "ADCL_internal.h"

static int rank, size, faults;
static void is(int code, int line) {
  if (code != ADCL_SUCCESS && faults++ < 5) fprintf(stderr, "rank %d, line %d: returned %d\n", rank, line, code);
}
static void expect(int good, int line) {
  if (!good && faults++ < 5) fprintf(stderr, "rank %d, line %d: wrong\n", rank, line);
}
#define CHK(call) is(call, __LINE__)
#define EXP(what) expect(what, __LINE__)
static int mids, ends, totals;
static void mid(ADCL_Request r) {
  (void)r;
  ++mids;
}
static void end(ADCL_Request r) {
  (void)r;
  ++ends;
}
static void total(ADCL_Request r) {
  (void)r;
  ++totals;
}

static void fill3(double*** d, int* dims, int n) {
  for (int i = 0; i < dims[0]; i++)
    for (int j = 0; j < dims[1]; j++)
      for (int k = 0; k < dims[2]; k++)
        d[i][j][k] = (i == 0 || j == 0 || k == 0 || i == dims[0] - 1 || j == dims[1] - 1 || k == dims[2] - 1)
                         ? -1
                         : rank * 1000 + n;
}
static void heat3d(MPI_Comm cart, int form) {
  int dims[3] = {5, 6, 7}, lo, hi, nd, state;
  double*** d = NULL;
  char *name = NULL, *fs = NULL;
  ADCL_Vector vec;
  ADCL_Topology topo;
  ADCL_Request req;
  ADCL_Vmap vmap = ADCL_VMAP_NULL;
  if (form == 0) {
    CHK(ADCL_Vmap_halo_allocate(1, &vmap));
    CHK(ADCL_Vector_allocate_generic(3, dims, 0, vmap, MPI_DOUBLE, &d, &vec));
  }
  if (form == 1) CHK(ADCL_Vector_allocate(3, dims, 1, MPI_DOUBLE, &d, &vec));
  if (form == 2) CHK(ADCL_Vector_allocate(3, dims, 0, 1, MPI_DOUBLE, &d, &vec));
  if (form == 3) CHK(ADCL_Vector_allocate(3, dims, 0, ADCL_VECTOR_HALO, 1, MPI_DOUBLE, &d, &vec));
  CHK(ADCL_Topology_create(cart, &topo));
  CHK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &req));
  if (vmap) CHK(ADCL_Vmap_free(&vmap));
  for (int n = 0; n < 60; n++) {
    fill3(d, dims, n);
    if (n % 3 == 0)
      CHK(ADCL_Request_start(req));
    else if (n % 3 == 1) {
      CHK(ADCL_Request_init(req));
      CHK(ADCL_Request_progress(req, 3));
      CHK(ADCL_Request_progress(req));
      CHK(ADCL_Request_wait(req));
    } else
      CHK(ADCL_Request_start_overlap(req, mid, end, total));
    for (int x = 0; x < 3; x++) {
      MPI_Cart_shift(cart, x, 1, &lo, &hi);
      int c[3] = {2, 2, 2};
      c[x] = 0;
      EXP(d[c[0]][c[1]][c[2]] == (lo == MPI_PROC_NULL ? -1 : lo * 1000 + n));
      c[x] = dims[x] - 1;
      EXP(d[c[0]][c[1]][c[2]] == (hi == MPI_PROC_NULL ? -1 : hi * 1000 + n));
    }
  }
  EXP(mids == ends);
  CHK(ADCL_Request_get_curr_function(req, &name, NULL, NULL, NULL, NULL));
  EXP(name != NULL && strlen(name) > 4);
  free(name);
  char **an = NULL, **vn = NULL;
  int num = 0, *vals = NULL;
  CHK(ADCL_Request_get_curr_function(req, &name, &an, &num, &vn, &vals));
  EXP(num == 3);
  for (int i = 0; i < num; i++) {
    free(an[i]);
    free(vn[i]);
  }
  free(an);
  free(vn);
  free(vals);
  free(name);
  CHK(ADCL_Request_get_fsname(req, &fs));
  EXP(fs != NULL && *fs != 0);
  free(fs);
  CHK(ADCL_Request_get_tndims(req, &nd));
  EXP(nd == 3);
  CHK(ADCL_Request_get_state(req, &state));
  EXP(state == 0 || state == 1);
  CHK(ADCL_Topology_free(&topo));
  CHK(ADCL_Request_free(&req));
  EXP(req == ADCL_REQUEST_NULL);
  CHK(ADCL_Vector_free(&vec));
  EXP(vec == ADCL_VECTOR_NULL);
}
static void registered(void) {
  /* 2 values per point, width 2, all forms */
  static float cells[8][9][2];
  int cdims[2], per[2], me[2], lo, hi;
  MPI_Comm plane;
  int dims[2] = {8, 9};
  cdims[0] = size;
  cdims[1] = 1;
  per[0] = 1;
  per[1] = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 2, cdims, per, 0, &plane);
  MPI_Cart_coords(plane, rank, 2, me);
  MPI_Cart_shift(plane, 0, 1, &lo, &hi);
  for (int form = 0; form < 3; form++) {
    ADCL_Vector vec;
    ADCL_Topology topo;
    ADCL_Request req;
    if (form == 0) CHK(ADCL_Vector_register(2, dims, 2, 2, MPI_FLOAT, cells, &vec));
    if (form == 1) CHK(ADCL_Vector_register(2, dims, 2, ADCL_VECTOR_HALO, 2, MPI_FLOAT, cells, &vec));
    if (form == 2) {
      ADCL_Vmap m;
      CHK(ADCL_Vmap_halo_allocate(2, &m));
      CHK(ADCL_Vector_register_generic(2, dims, 2, m, MPI_FLOAT, cells, &vec));
      CHK(ADCL_Vmap_free(&m));
    }
    CHK(ADCL_Topology_create_extended(plane, &topo));
    CHK(ADCL_Request_create_generic(vec, vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &req));
    for (int n = 0; n < 30; n++) {
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 9; j++)
          for (int k = 0; k < 2; k++)
            cells[i][j][k] =
                (i < 2 || j < 2 || i > 5 || j > 6) ? -1.f : (float)(rank * 100 + i * 10 + j + k * 1000 + n);
      CHK(ADCL_Request_start(req));
      for (int j = 2; j < 7; j++)
        for (int k = 0; k < 2; k++) {
          EXP(cells[0][j][k] == (float)(lo * 100 + 40 + j + k * 1000 + n));
          EXP(cells[7][j][k] == (float)(hi * 100 + 30 + j + k * 1000 + n));
        }
      EXP(cells[0][0][1] == (float)(lo * 100 + 40 + 5 + 1000 + n));
    }
    CHK(ADCL_Vector_deregister(&vec));
    CHK(ADCL_Request_free(&req));
    CHK(ADCL_Topology_free(&topo));
  }
  MPI_Comm_free(&plane);
}
static void shifts(void) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size, line[6], dims = 6, coords = rank, flip = 0;
  ADCL_Topology topo;
  ADCL_Vector vec;
  ADCL_Request l, r, t;
  CHK(ADCL_Topology_create_generic(1, 1, &left, &flip, &right, &coords, ADCL_DIRECTION_BOTH, MPI_COMM_WORLD, &topo));
  CHK(ADCL_Vector_register(1, &dims, 1, MPI_INT, line, &vec));
  CHK(ADCL_Request_create(vec, topo, ADCL_fnctset_ltor, &l));
  CHK(ADCL_Request_create(vec, topo, ADCL_fnctset_rtol, &r));
  CHK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_SHIFT, &t));
  ADCL_Timer timer;
  ADCL_Request both[2] = {l, r};
  CHK(ADCL_Timer_create(2, both, &timer));
  CHK(ADCL_Timer_commit(timer));
  for (int n = 0; n < 80; n++) {
    for (int i = 0; i < 6; i++) line[i] = i == 0 || i == 5 ? -1 : rank * 10 + n;
    CHK(ADCL_Timer_start(timer));
    CHK(ADCL_Request_start(l));
    EXP(line[0] == left * 10 + n);
    EXP(line[5] == -1);
    CHK(ADCL_Request_start(r));
    EXP(line[5] == right * 10 + n);
    CHK(ADCL_Timer_stop(timer));
    line[0] = -1;
    CHK(ADCL_Request_start(t));
    EXP(line[0] == left * 10 + n);
  }
  CHK(ADCL_Timer_free(&timer));
  CHK(ADCL_Request_free(&l));
  CHK(ADCL_Request_free(&r));
  CHK(ADCL_Request_free(&t));
  CHK(ADCL_Vector_deregister(&vec));
  CHK(ADCL_Topology_free(&topo));
  /* the direction of a topology */
  CHK(ADCL_Topology_create_generic(1, &left, &right, &coords, ADCL_DIRECTION_LEFT_TO_RIGHT, MPI_COMM_WORLD, &topo));
  CHK(ADCL_Vector_register(1, &dims, 1, MPI_INT, line, &vec));
  CHK(ADCL_Request_create(vec, topo, ADCL_FNCTSET_NEIGHBORHOOD, &l));
  for (int n = 0; n < 50; n++) {
    for (int i = 0; i < 6; i++) line[i] = i == 0 || i == 5 ? -1 : rank * 10 + n;
    CHK(ADCL_Request_start(l));
    EXP(line[0] == left * 10 + n);
    EXP(line[5] == -1);
  }
  CHK(ADCL_Request_free(&l));
  CHK(ADCL_Vector_deregister(&vec));
  CHK(ADCL_Topology_free(&topo));
}
static void allocated1d4d(MPI_Comm c4) {
  int one = 6;
  double* a = NULL;
  ADCL_Vmap m;
  ADCL_Vector v;
  int d4[4] = {3, 4, 3, 5};
  int***** q = NULL;
  CHK(ADCL_Vmap_halo_allocate(1, &m));
  CHK(ADCL_Vector_allocate_generic(1, &one, 0, m, MPI_DOUBLE, &a, &v));
  for (int i = 0; i < 6; i++) a[i] = i;
  CHK(ADCL_Vector_free(&v));
  CHK(ADCL_Vector_allocate_generic(4, d4, 3, m, MPI_INT, &q, &v));
  ADCL_Topology t;
  ADCL_Request r;
  CHK(ADCL_Topology_create(c4, &t));
  CHK(ADCL_Request_create(v, t, ADCL_FNCTSET_NEIGHBORHOOD, &r));
  for (int n = 0; n < 30; n++) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 5; l++)
            for (int x = 0; x < 3; x++) q[i][j][k][l][x] = rank + n + x;
    CHK(ADCL_Request_start(r));
    int lo, hi;
    MPI_Cart_shift(c4, 0, 1, &lo, &hi);
    EXP(q[0][1][1][1][2] == lo + n + 2);
    EXP(q[2][2][1][3][0] == hi + n);
  }
  CHK(ADCL_Request_free(&r));
  CHK(ADCL_Topology_free(&t));
  CHK(ADCL_Vector_free(&v));
  CHK(ADCL_Vmap_free(&m));
}
/* Values of two parts, which end with a gap. */
static void pairs(MPI_Comm line) {
  struct pair {
    double value;
    int place;
  }** p = NULL;
  int dims[2] = {3, 5}, lo, hi, cdims[2] = {size, 1}, per[2] = {1, 0};
  ADCL_Vmap m;
  ADCL_Vector v;
  ADCL_Topology t;
  ADCL_Request r;
  MPI_Comm plane;
  MPI_Cart_create(line, 2, cdims, per, 0, &plane);
  MPI_Cart_shift(plane, 0, 1, &lo, &hi);
  CHK(ADCL_Vmap_halo_allocate(1, &m));
  CHK(ADCL_Vector_allocate_generic(2, dims, 0, m, MPI_DOUBLE_INT, &p, &v));
  EXP(p[1] == p[0] + 5);
  EXP(p[2] == p[0] + 10);
  CHK(ADCL_Topology_create(plane, &t));
  CHK(ADCL_Request_create(v, t, ADCL_FNCTSET_NEIGHBORHOOD, &r));
  for (int n = 0; n < 60 && faults == 0; n++) {
    for (int j = 0; j < 5; j++) {
      p[0][j].value = p[2][j].value = -1;
      p[1][j].value = rank + n;
      p[1][j].place = 10 * rank + j;
    }
    CHK(ADCL_Request_start(r));
    for (int j = 1; j < 4; j++) {
      EXP(p[0][j].value == lo + n && p[0][j].place == 10 * lo + j);
      EXP(p[2][j].value == hi + n && p[2][j].place == 10 * hi + j);
    }
  }
  CHK(ADCL_Request_free(&r));
  CHK(ADCL_Topology_free(&t));
  CHK(ADCL_Vector_free(&v));
  CHK(ADCL_Vmap_free(&m));
  MPI_Comm_free(&plane);
}
int main(int argc, char** argv) {
  int all = 0, d3[3] = {0, 0, 0}, p3[3] = {1, 0, 1}, d4[4] = {0, 0, 0, 0}, p4[4] = {1, 1, 1, 1};
  MPI_Comm cart, c4;
  MPI_Init(&argc, &argv);
  CHK(ADCL_Init());
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, d3);
  MPI_Cart_create(MPI_COMM_WORLD, 3, d3, p3, 0, &cart);
  MPI_Dims_create(size, 4, d4);
  MPI_Cart_create(MPI_COMM_WORLD, 4, d4, p4, 0, &c4);
  for (int form = 0; form < 4; form++) heat3d(cart, form);
  registered();
  shifts();
  allocated1d4d(c4);
  pairs(MPI_COMM_WORLD);
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  MPI_Comm_free(&cart);
  MPI_Comm_free(&c4);
  CHK(ADCL_Finalize());
  MPI_Finalize();
  return all != 0;
}
