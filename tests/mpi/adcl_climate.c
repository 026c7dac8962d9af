/* A small climate model, written for ADCL as a stranger would: many requests are in use at the same time. The
 * atmosphere has 3 dimensions and 5 values a cell, the ocean and its ice have 2, particles 1, a phase space 4; the
 * spectral part transposes by a function that asks for its attribute values; diagnostics are collectives, blocking and
 * in progress at the same time. With an argument, the file config.adcl names that search. */
#include <ADCL.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, faults;
static void returned(int code, const char* call, int line) {
  if (code != ADCL_SUCCESS && faults++ < 5) fprintf(stderr, "rank %d, line %d: %s: %d\n", rank, line, call, code);
}
static void same(double one, double other, const char* what, int line) {
  if (one != other && faults++ < 5)
    fprintf(stderr, "rank %d, line %d: %s is %g, not %g\n", rank, line, what, one, other);
}
#define TRY(call) returned(call, #call, __LINE__)
#define SAME(one, other) same(one, other, #one, __LINE__)

enum { STEPS = 60, NX = 4, NY = 3, NZ = 5, NC = 5, HW = 2 };

/* ---- a transposition, one function that asks for its attribute values ---- */
static int *tr_out, *tr_in, tr_n;
static MPI_Request* tr_reqs;
static MPI_Status* tr_statuses;
static int tr_count;
static void transpose_start(ADCL_Request req) {
  char *name, **attrs, **value_names;
  int n, *values;
  MPI_Comm comm;
  int me, np;
  TRY(ADCL_Request_get_curr_function(req, &name, &attrs, &n, &value_names, &values));
  TRY(ADCL_Request_get_comm(req, &comm, &me, &np));
  if (n != 2 || strcmp(attrs[0], "order") || strcmp(attrs[1], "call")) ++faults;
  tr_count = 0;
  for (int k = 0; k < np; ++k) {
    int to = values[0] == 1 ? (me + k) % np : k, from = values[0] == 1 ? (me - k + np) % np : k;
    if (values[1] == 10) {
      MPI_Irecv(tr_in + from * tr_n, tr_n, MPI_INT, from, 7, comm, &tr_reqs[tr_count++]);
      MPI_Isend(tr_out + to * tr_n, tr_n, MPI_INT, to, 7, comm, &tr_reqs[tr_count++]);
    } else
      MPI_Sendrecv(tr_out + to * tr_n, tr_n, MPI_INT, to, 8, tr_in + from * tr_n, tr_n, MPI_INT, from, 8, comm,
                   MPI_STATUS_IGNORE);
  }
}
static void transpose_end(ADCL_Request req) {
  (void)req;
  MPI_Waitall(tr_count, tr_reqs, tr_statuses);
}

/* ---- plain functions ---- */
static double red_in, red_out;
static void sum_native(ADCL_Request req) {
  MPI_Comm c;
  int r, s;
  ADCL_Request_get_comm(req, &c, &r, &s);
  MPI_Allreduce(&red_in, &red_out, 1, MPI_DOUBLE, MPI_SUM, c);
}
static void sum_reduce_bcast(ADCL_Request req) {
  MPI_Comm c;
  int r, s;
  ADCL_Request_get_comm(req, &c, &r, &s);
  MPI_Reduce(&red_in, &red_out, 1, MPI_DOUBLE, MPI_SUM, 0, c);
  MPI_Bcast(&red_out, 1, MPI_DOUBLE, 0, c);
}
static void work(ADCL_Request req) {
  (void)req;
  volatile double x = 0;
  for (int i = 0; i < 200; ++i) x += i;
}

static int wrap(int c, int n) {
  return (c % n + n) % n;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0 && argc > 1) {
    FILE* f = fopen("config.adcl", "w");
    fprintf(f,
            "ADCL_EMETHOD_SEARCH_ALGO: %s\nADCL_EMETHOD_NUMTESTS: 3\nADCL_OUTLIER_FRACTION: 20\nADCL_STATISTIC_METHOD: "
            "ADCL_STATISTIC_MAX\nADCL_PRINTF_SILENCE: 1\n",
            argv[1]);
    fclose(f);
  }
  TRY(ADCL_Init());

  /* topologies */
  int dims3[3] = {0, 0, 0}, per3[3] = {1, 1, 1}, dims2[2] = {0, 0}, per2[2] = {1, 0}, dims1[1] = {size}, per1[1] = {1},
      dims4[4] = {0, 0, 0, 0}, per4[4] = {1, 1, 1, 1};
  MPI_Comm c3, c2, c1, c4;
  int x3[3], x2[2], x4[4];
  MPI_Dims_create(size, 3, dims3);
  MPI_Dims_create(size, 2, dims2);
  MPI_Dims_create(size, 4, dims4);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims3, per3, 0, &c3);
  MPI_Cart_coords(c3, rank, 3, x3);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims2, per2, 0, &c2);
  MPI_Cart_coords(c2, rank, 2, x2);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims1, per1, 0, &c1);
  MPI_Cart_create(MPI_COMM_WORLD, 4, dims4, per4, 0, &c4);
  MPI_Cart_coords(c4, rank, 4, x4);
  ADCL_Topology t3, t2, t1, t4, t2x;
  TRY(ADCL_Topology_create(c3, &t3));
  TRY(ADCL_Topology_create(c2, &t2));
  TRY(ADCL_Topology_create(c1, &t1));
  TRY(ADCL_Topology_create(c4, &t4));
  TRY(ADCL_Topology_create_extended(c2, &t2x));

  /* atmosphere: 3-D with 5 values a cell, allocated by ADCL */
  ADCL_Vmap halo2, halo1;
  TRY(ADCL_Vmap_halo_allocate(HW, &halo2));
  TRY(ADCL_Vmap_halo_allocate(1, &halo1));
  int d3[3] = {NX + 2 * HW, NY + 2 * HW, NZ + 2 * HW};
  double**** air;
  ADCL_Vector v_air;
  TRY(ADCL_Vector_allocate_generic(3, d3, NC, halo2, MPI_DOUBLE, &air, &v_air));
  /* ocean: 2-D, the program's memory */
  int d2[2] = {NX + 2, NY + 2};
  float* sea = calloc((NX + 2) * (NY + 2), sizeof *sea);
  ADCL_Vector v_sea;
  TRY(ADCL_Vector_register_generic(2, d2, 0, halo1, MPI_FLOAT, sea, &v_sea));
  /* the same with corners */
  float** ice;
  ADCL_Vector v_ice;
  TRY(ADCL_Vector_allocate_generic(2, d2, 0, halo1, MPI_FLOAT, &ice, &v_ice));
  /* particles: 1-D */
  int d1[1] = {8 + 2};
  int part[10];
  ADCL_Vector v_part;
  TRY(ADCL_Vector_register_generic(1, d1, 0, halo1, MPI_INT, part, &v_part));
  /* phase space: 4-D */
  int d4[4] = {4, 5, 4, 3};
  double**** phase;
  ADCL_Vector v_phase;
  TRY(ADCL_Vector_allocate_generic(4, d4, 0, halo1, MPI_DOUBLE, &phase, &v_phase));

  ADCL_Request r_air, r_sea, r_ice, r_left, r_right, r_phase;
  TRY(ADCL_Request_create(v_air, t3, ADCL_FNCTSET_NEIGHBORHOOD, &r_air));
  TRY(ADCL_Request_create(v_sea, t2, ADCL_FNCTSET_NEIGHBORHOOD, &r_sea));
  TRY(ADCL_Request_create(v_ice, t2x, ADCL_FNCTSET_NEIGHBORHOOD, &r_ice));
  TRY(ADCL_Request_create(v_part, t1, ADCL_fnctset_ltor, &r_right));
  TRY(ADCL_Request_create(v_part, t1, ADCL_fnctset_rtol, &r_left));
  TRY(ADCL_Request_create(v_phase, t4, ADCL_FNCTSET_NEIGHBORHOOD, &r_phase));

  /* the transposition */
  int orders[2] = {0, 1}, calls[2] = {10, 20};
  char *order_names[2] = {"straight", "shifted"}, *call_names[2] = {"isend", "sendrecv"};
  ADCL_Attribute a_order, a_call;
  TRY(ADCL_Attribute_create(2, orders, order_names, "order", &a_order));
  TRY(ADCL_Attribute_create(2, calls, call_names, "call", &a_call));
  ADCL_Attribute both[2] = {a_order, a_call};
  ADCL_Attrset set;
  TRY(ADCL_Attrset_create(2, both, &set));
  int without[2] = {0, 20};
  int* excluded[1] = {without};
  ADCL_Fnctset transpose;
  TRY(ADCL_Fnctset_create_single(transpose_start, transpose_end, set, "transpose", excluded, 1, &transpose));
  tr_n = 3;
  tr_out = malloc(sizeof(int) * tr_n * size);
  tr_in = malloc(sizeof(int) * tr_n * size);
  tr_reqs = malloc(sizeof(MPI_Request) * 2 * size);
  tr_statuses = malloc(sizeof(MPI_Status) * 2 * size);
  ADCL_Request r_tr;
  TRY(ADCL_Request_create(ADCL_VECTOR_NULL, t1, transpose, &r_tr));

  ADCL_Function f[2];
  TRY(ADCL_Function_create(sum_native, ADCL_ATTRSET_NULL, NULL, "native", &f[0]));
  TRY(ADCL_Function_create(sum_reduce_bcast, ADCL_ATTRSET_NULL, NULL, "reduce_bcast", &f[1]));
  ADCL_Fnctset sums;
  TRY(ADCL_Fnctset_create(2, f, "sums", &sums));
  ADCL_Request r_sum;
  TRY(ADCL_Request_create(ADCL_VECTOR_NULL, t1, sums, &r_sum));

  /* collectives */
  double loc[4], glo[4], *gat = malloc(sizeof(double) * 4 * size);
  int *cnt = malloc(sizeof(int) * size), *dis = malloc(sizeof(int) * size);
  int *as = malloc(sizeof(int) * 2 * size), *ar = malloc(sizeof(int) * 2 * size), bc[6];
  int total = 0;
  for (int i = 0; i < size; ++i) {
    cnt[i] = 1 + i % 3;
    dis[i] = total;
    total += cnt[i];
  }
  double* agv = malloc(sizeof(double) * total);
  ADCL_Request q[9];
  TRY(ADCL_Allreduce_init(loc, glo, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &q[0]));
  TRY(ADCL_Reduce_init(loc, glo, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &q[1]));
  TRY(ADCL_Alltoall_init(as, 2, MPI_INT, ar, 2, MPI_INT, MPI_COMM_WORLD, &q[2]));
  int *vc = malloc(sizeof(int) * size), *vd = malloc(sizeof(int) * size);
  for (int i = 0; i < size; ++i) {
    vc[i] = 1 + (i + rank) % 2;
    vd[i] = 2 * i;
  }
  TRY(ADCL_Alltoallv_init(as, vc, vd, MPI_INT, ar, vc, vd, MPI_INT, MPI_COMM_WORLD, &q[3]));
  TRY(ADCL_Allgatherv_init(loc, cnt[rank], MPI_DOUBLE, agv, cnt, dis, MPI_DOUBLE, MPI_COMM_WORLD, &q[4]));
  TRY(ADCL_Ibcast_init(bc, 6, MPI_INT, size - 1, MPI_COMM_WORLD, &q[5]));
  TRY(ADCL_Ialltoall_init(as, 2, MPI_INT, ar, 2, MPI_INT, MPI_COMM_WORLD, &q[6]));
  TRY(ADCL_Iallgather_init(loc, 4, MPI_DOUBLE, gat, 4, MPI_DOUBLE, MPI_COMM_WORLD, &q[7]));
  TRY(ADCL_Ireduce_init(loc, glo, 4, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD, &q[8]));

  /* one timer for what an iteration does */
  ADCL_Request of_timer[3] = {r_air, r_sea, r_phase};
  ADCL_Timer timer;
  TRY(ADCL_Timer_create(3, of_timer, &timer));
  TRY(ADCL_Timer_add_request(timer, r_tr));
  TRY(ADCL_Timer_remove_request(timer, r_tr));
  TRY(ADCL_Timer_commit(timer));

  for (int it = 0; it < STEPS; ++it) {
    /* owner's numbers: rank of the Cartesian coordinates */
    for (int i = 0; i < d3[0]; ++i)
      for (int j = 0; j < d3[1]; ++j)
        for (int k = 0; k < d3[2]; ++k)
          for (int c = 0; c < NC; ++c) {
            int in = i >= HW && i < HW + NX && j >= HW && j < HW + NY && k >= HW && k < HW + NZ;
            int gx = x3[0] * NX + i - HW, gy = x3[1] * NY + j - HW, gz = x3[2] * NZ + k - HW;
            air[i][j][k][c] = in ? gx + 1e2 * gy + 1e4 * gz + 1e6 * c + it : -1;
          }
    for (int i = 0; i < d2[0]; ++i)
      for (int j = 0; j < d2[1]; ++j) {
        int in = i && j && i <= NX && j <= NY;
        sea[i * d2[1] + j] = in ? rank + it : -1;
        ice[i][j] = in ? rank + it : -1;
      }
    for (int i = 0; i < 10; ++i) part[i] = i && i < 9 ? 100 * rank + i + it : -1;
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 5; ++b)
        for (int c = 0; c < 4; ++c)
          for (int d = 0; d < 3; ++d)
            phase[a][b][c][d] = a && b && c && d && a < 3 && b < 4 && c < 3 && d < 2 ? rank : -1;
    TRY(ADCL_Timer_start(timer));
    TRY(ADCL_Request_init(r_air));
    TRY(ADCL_Request_progress(r_air, 1));
    TRY(ADCL_Request_start(r_sea));
    TRY(ADCL_Request_wait(r_air));
    TRY(ADCL_Request_start(r_phase));
    TRY(ADCL_Timer_stop(timer));
    for (int dim = 0; dim < 3; ++dim)
      for (int side = 0; side < 2; ++side)
        for (int w = 0; w < HW; ++w)
          for (int c = 0; c < NC; ++c) {
            int n[3] = {NX, NY, NZ}, p[3] = {HW, HW + 1, HW + 2};
            p[dim] = side ? HW + n[dim] + w : w;
            int g[3];
            for (int e = 0; e < 3; ++e) g[e] = wrap(x3[e] * n[e] + p[e] - HW, dims3[e] * n[e]);
            SAME(air[p[0]][p[1]][p[2]][c], g[0] + 1e2 * g[1] + 1e4 * g[2] + 1e6 * c + it);
          }
    int lo, hi;
    MPI_Cart_shift(c2, 0, 1, &lo, &hi);
    SAME(sea[0 * d2[1] + 1], lo + it);
    SAME(sea[(NX + 1) * d2[1] + NY], hi + it);
    MPI_Cart_shift(c2, 1, 1, &lo, &hi);
    SAME(sea[1 * d2[1]], lo == MPI_PROC_NULL ? -1 : lo + it);
    SAME(sea[1 * d2[1] + NY + 1], hi == MPI_PROC_NULL ? -1 : hi + it);
    for (int dim = 0; dim < 4; ++dim) {
      MPI_Cart_shift(c4, dim, 1, &lo, &hi);
      int p[4] = {1, 1, 1, 1};
      p[dim] = 0;
      SAME(phase[p[0]][p[1]][p[2]][p[3]], lo);
      p[dim] = d4[dim] - 1;
      SAME(phase[p[0]][p[1]][p[2]][p[3]], hi);
    }

    TRY(ADCL_Request_start_overlap(r_ice, work, work, NULL));
    for (int i = -1; i <= 1; i += 2)
      for (int j = -1; j <= 1; j += 2) {
        int at[2] = {wrap(x2[0] + i, dims2[0]), x2[1] + j}, nb = -1 - it;
        if (at[1] >= 0 && at[1] < dims2[1]) MPI_Cart_rank(c2, at, &nb);
        SAME(ice[i < 0 ? 0 : NX + 1][j < 0 ? 0 : NY + 1], nb + it);
      }
    TRY(ADCL_Request_start(r_right));
    SAME(part[0], 100 * wrap(rank - 1, size) + 8 + it);
    SAME(part[9], -1);
    part[0] = -1;
    TRY(ADCL_Request_start(r_left));
    SAME(part[9], 100 * wrap(rank + 1, size) + 1 + it);
    SAME(part[0], -1);

    for (int i = 0; i < tr_n * size; ++i) {
      tr_out[i] = 1000 * rank + i + it;
      tr_in[i] = -1;
    }
    TRY(ADCL_Request_init(r_tr));
    TRY(ADCL_Request_wait(r_tr));
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < tr_n; ++k) SAME(tr_in[i * tr_n + k], 1000 * i + rank * tr_n + k + it);
    red_in = rank + it;
    TRY(ADCL_Request_start(r_sum));
    TRY(ADCL_Request_update(r_sum, 1e-6 * (1 + it % 2)));
    SAME(red_out, size * (size - 1) / 2 + size * it);

    for (int i = 0; i < 4; ++i) loc[i] = rank * 10 + i + it;
    TRY(ADCL_Request_start(q[0]));
    SAME(glo[3], (size - 1) * 10 + 3 + it);
    TRY(ADCL_Request_start(q[1]));
    if (rank == 0) SAME(glo[1], 10 * size * (size - 1) / 2 + size * (1 + it));
    for (int i = 0; i < 2 * size; ++i) as[i] = 100 * rank + i;
    TRY(ADCL_Request_start(q[2]));
    for (int i = 0; i < size; ++i) SAME(ar[2 * i + 1], 100 * i + 2 * rank + 1);
    memset(ar, 0, sizeof(int) * 2 * size);
    TRY(ADCL_Request_start(q[3]));
    for (int i = 0; i < size; ++i) SAME(ar[2 * i], 100 * i + 2 * rank);
    TRY(ADCL_Request_start(q[4]));
    for (int i = 0; i < size; ++i) SAME(agv[dis[i]], i * 10 + it);
    for (int i = 0; i < 6; ++i) bc[i] = rank == size - 1 ? 5 * it + i : 0;
    for (int k = 5; k < 9; ++k) TRY(ADCL_Request_init(q[k]));
    work(q[5]);
    for (int k = 5; k < 9; ++k) TRY(ADCL_Request_progress(q[k], 2));
    for (int k = 8; k >= 5; --k) TRY(ADCL_Request_wait(q[k]));
    SAME(bc[5], 5 * it + 5);
    SAME(ar[2 * (size - 1)], 100 * (size - 1) + 2 * rank);
    SAME(gat[4 * (size - 1) + 2], (size - 1) * 10 + 2 + it);
    if (rank == 0) SAME(glo[2], 2 + it);

    if (it == 20 || it == 40) { /* checkpoint and restart of what was learnt */
      int tested = 0;
      double *un = NULL, *fi = NULL, *out = NULL;
      int winner = -1;
      TRY(ADCL_Request_save_status(r_ice, &tested, &un, &fi, &out, &winner));
      if (it == 40) {
        TRY(ADCL_Request_free(&r_ice));
        TRY(ADCL_Request_create(v_ice, t2x, ADCL_FNCTSET_NEIGHBORHOOD, &r_ice));
        TRY(ADCL_Request_restore_status(r_ice, tested, un, fi, out));
      }
    }
  }
  int state, nd;
  char* fs;
  TRY(ADCL_Request_get_state(r_air, &state));
  TRY(ADCL_Request_get_tndims(r_air, &nd));
  SAME(nd, 3);
  TRY(ADCL_Request_get_fsname(r_tr, &fs));
  double fm, um, ol;
  TRY(ADCL_Request_get_winner_stat(r_sum, &fm, &um, &ol));
  char* name;
  TRY(ADCL_Request_get_curr_function(r_sum, &name, NULL, NULL, NULL, NULL));
  SAME(strcmp(fs, "transpose"), 0);
  SAME(state == 0 || state == 1, 1);
  SAME(um > 0 && fm > 0 && ol >= 0, 1);
  SAME(strcmp(name, "native") == 0 || strcmp(name, "reduce_bcast") == 0, 1);
  for (int k = 0; k < 9; ++k) TRY(ADCL_Request_free(&q[k]));
  TRY(ADCL_Timer_free(&timer));
  ADCL_Request* all[] = {&r_air, &r_sea, &r_ice, &r_left, &r_right, &r_phase, &r_tr, &r_sum};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) TRY(ADCL_Request_free(all[i]));
  SAME(r_air == ADCL_REQUEST_NULL, 1);
  TRY(ADCL_Fnctset_free(&transpose));
  TRY(ADCL_Fnctset_free(&sums));
  TRY(ADCL_Function_free(&f[0]));
  TRY(ADCL_Function_free(&f[1]));
  TRY(ADCL_Attrset_free(&set));
  TRY(ADCL_Attribute_free(&a_order));
  TRY(ADCL_Attribute_free(&a_call));
  TRY(ADCL_Vector_free(&v_air));
  TRY(ADCL_Vector_deregister(&v_sea));
  TRY(ADCL_Vector_free(&v_ice));
  TRY(ADCL_Vector_deregister(&v_part));
  TRY(ADCL_Vector_free(&v_phase));
  TRY(ADCL_Vmap_free(&halo1));
  TRY(ADCL_Vmap_free(&halo2));
  TRY(ADCL_Topology_free(&t1));
  TRY(ADCL_Topology_free(&t2));
  TRY(ADCL_Topology_free(&t2x));
  TRY(ADCL_Topology_free(&t3));
  TRY(ADCL_Topology_free(&t4));
  TRY(ADCL_Finalize());
  int all_faults = 0;
  MPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all_faults);
  MPI_Finalize();
  return 0;
}
