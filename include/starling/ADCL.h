/* The names of ADCL, the Abstract Data and Communication Library, over Starling's patterns: programs written for ADCL
 * compile with this header and run (docs/adcl.md says what is served, and how to compile and link). */
#ifndef STARLING_ADCL_H
#define STARLING_ADCL_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADCL_SUCCESS 0
#define ADCL_NO_MEMORY (-1)
#define ADCL_ERROR_INTERNAL (-2)
#define ADCL_USER_ERROR (-3)
#define ADCL_UNDEFINED (-4)
#define ADCL_NOT_FOUND (-5)
#define ADCL_CONTINUE (-6) /* never returned: ADCL_Request_progress returns ADCL_SUCCESS, and wait ends the call */

#define ADCL_INVALID_ARG 10
#define ADCL_INVALID_NDIMS 11
#define ADCL_INVALID_DIMS 12
#define ADCL_INVALID_HWIDTH 13
#define ADCL_INVALID_DAT 14
#define ADCL_INVALID_DATA 15
#define ADCL_INVALID_VECTYPE 16
#define ADCL_INVALID_COMM 17
#define ADCL_INVALID_REQUEST 18
#define ADCL_INVALID_NC 19
#define ADCL_INVALID_TYPE 20
#define ADCL_INVALID_TOPOLOGY 21
#define ADCL_INVALID_ATTRIBUTE 22
#define ADCL_INVALID_ATTRSET 23
#define ADCL_INVALID_FUNCTION 24
#define ADCL_INVALID_WORK_FUNCTION_PTR 25
#define ADCL_INVALID_FNCTSET 26
#define ADCL_INVALID_VECTOR 27
#define ADCL_INVALID_DIRECTION 28
#define ADCL_INVALID_VMAP 29
#define ADCL_INVALID_OP 30
#define ADCL_INVALID_EMETHOD 31
#define ADCL_INVALID_TIMER 32

#define ADCL_MAX_ATTRLEN 32
#define ADCL_MAX_NAMELEN 32

#define ADCL_DIRECTION_BOTH 1
#define ADCL_DIRECTION_LEFT_TO_RIGHT 2
#define ADCL_DIRECTION_RIGHT_TO_LEFT 3

/* What vectors are for, in calls of the years between the two generations. */
#define ADCL_VECTOR_HALO 1
#define ADCL_VECTOR_ALL 2
#define ADCL_VECTOR_LIST 5
#define ADCL_VECTOR_ALLREDUCE 6
#define ADCL_VECTOR_INPLACE 7
#define ADCL_VECTOR_ALLTOALL 8
#define ADCL_VECTOR_REDUCE 9

#define TIME_TYPE double

typedef struct ADCL_vmap_s* ADCL_Vmap;
typedef struct ADCL_vector_s* ADCL_Vector;
typedef struct ADCL_topology_s* ADCL_Topology;
typedef struct ADCL_attribute_s* ADCL_Attribute;
typedef struct ADCL_attrset_s* ADCL_Attrset;
typedef struct ADCL_function_s* ADCL_Function;
typedef struct ADCL_fnctset_s* ADCL_Fnctset;
typedef struct ADCL_request_s* ADCL_Request;
typedef struct ADCL_timer_s* ADCL_Timer;

typedef void ADCL_work_fnct_ptr(ADCL_Request request);

#define ADCL_VMAP_NULL ((ADCL_Vmap)0)
#define ADCL_VECTOR_NULL ((ADCL_Vector)0)
#define ADCL_TOPOLOGY_NULL ((ADCL_Topology)0)
#define ADCL_ATTRIBUTE_NULL ((ADCL_Attribute)0)
#define ADCL_ATTRSET_NULL ((ADCL_Attrset)0)
#define ADCL_FUNCTION_NULL ((ADCL_Function)0)
#define ADCL_FNCTSET_NULL ((ADCL_Fnctset)0)
#define ADCL_REQUEST_NULL ((ADCL_Request)0)
#define ADCL_TIMER_NULL ((ADCL_Timer)0)
#define ADCL_NULL_FNCT_PTR ((ADCL_work_fnct_ptr*)0)

/* Predefined sets: handles that are the same in every program. */
#define ADCL_STARLING_SET(number) ((ADCL_Fnctset)(0x38000000L + (number)))
#define ADCL_FNCTSET_NEIGHBORHOOD ADCL_STARLING_SET(0)
#define ADCL_fnctset_ltor ADCL_STARLING_SET(1)
#define ADCL_fnctset_rtol ADCL_STARLING_SET(2)
#define ADCL_FNCTSET_SHIFT ADCL_fnctset_ltor
#define ADCL_FNCTSET_SHIFT_LTOR ADCL_fnctset_ltor
#define ADCL_FNCTSET_SHIFT_RTOL ADCL_fnctset_rtol
#define ADCL_FNCTSET_ALLGATHERV ADCL_STARLING_SET(4)
#define ADCL_FNCTSET_ALLREDUCE ADCL_STARLING_SET(5)
#define ADCL_FNCTSET_ALLTOALL ADCL_STARLING_SET(6)
#define ADCL_FNCTSET_ALLTOALLV ADCL_STARLING_SET(7)
#define ADCL_FNCTSET_REDUCE ADCL_STARLING_SET(14)
#define ADCL_FNCTSET_IALLGATHER ADCL_STARLING_SET(32)
#define ADCL_FNCTSET_IALLTOALL ADCL_STARLING_SET(35)
#define ADCL_FNCTSET_IBCAST ADCL_STARLING_SET(39)
#define ADCL_FNCTSET_IREDUCE ADCL_STARLING_SET(43)

int ADCL_Init(void);
int ADCL_Finalize(void);

int ADCL_Vmap_halo_allocate(int hwidth, ADCL_Vmap* vmap);
int ADCL_Vmap_list_allocate(int size, const int* rcnts, const int* displ, ADCL_Vmap* vmap);
int ADCL_Vmap_allreduce_allocate(MPI_Op op, ADCL_Vmap* vmap);
int ADCL_Vmap_reduce_allocate(MPI_Op op, ADCL_Vmap* vmap);
int ADCL_Vmap_alltoall_allocate(int scnt, int rcnt, ADCL_Vmap* vmap);
int ADCL_Vmap_all_allocate(ADCL_Vmap* vmap);
int ADCL_Vmap_inplace_allocate(ADCL_Vmap* vmap);
int ADCL_Vmap_free(ADCL_Vmap* vmap);

/* `dims` counts the halo cells on both sides. `data` is the address of a pointer of as many levels as there are
 * dimensions, one more where nc is above 1. */
int ADCL_Vector_allocate_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype dat, void* data,
                                 ADCL_Vector* vec);
int ADCL_Vector_register_generic(int ndims, const int* dims, int nc, ADCL_Vmap vmap, MPI_Datatype dat, void* data,
                                 ADCL_Vector* vec);
int ADCL_Vector_free(ADCL_Vector* vec);
int ADCL_Vector_deregister(ADCL_Vector* vec);
/* The paper's form; below, those of the years after it, with nc, and with nc and the kind of vector. */
int ADCL_Vector_register(int ndims, const int* dims, int hwidth, MPI_Datatype dat, void* data, ADCL_Vector* vec);
int ADCL_Vector_allocate(int ndims, const int* dims, int hwidth, MPI_Datatype dat, void* data, ADCL_Vector* vec);
int ADCL_Vector_register_nc(int ndims, const int* dims, int nc, int hwidth, MPI_Datatype dat, void* data,
                            ADCL_Vector* vec);
int ADCL_Vector_allocate_nc(int ndims, const int* dims, int nc, int hwidth, MPI_Datatype dat, void* data,
                            ADCL_Vector* vec);
int ADCL_Vector_register_kind(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype dat, void* data,
                              ADCL_Vector* vec);
int ADCL_Vector_allocate_kind(int ndims, const int* dims, int nc, int vectype, int hwidth, MPI_Datatype dat, void* data,
                              ADCL_Vector* vec);
/* By the number of arguments. */
#define ADCL_STARLING_OF_8(a, b, c, d, e, f, g, h, name, ...) name
#define ADCL_Vector_register(...)                                                                                    \
  ADCL_STARLING_OF_8(__VA_ARGS__, ADCL_Vector_register_kind, ADCL_Vector_register_nc, ADCL_Vector_register, 0, 0, 0, \
                     0, 0)                                                                                           \
  (__VA_ARGS__)
#define ADCL_Vector_allocate(...)                                                                                    \
  ADCL_STARLING_OF_8(__VA_ARGS__, ADCL_Vector_allocate_kind, ADCL_Vector_allocate_nc, ADCL_Vector_allocate, 0, 0, 0, \
                     0, 0)                                                                                           \
  (__VA_ARGS__)

int ADCL_Topology_create(MPI_Comm cart_comm, ADCL_Topology* topo);
int ADCL_Topology_create_extended(MPI_Comm cart_comm, ADCL_Topology* topo);
int ADCL_Topology_create_generic(int ndims, int nneigh, const int* lneighbors, const int* flip, const int* rneighbors,
                                 const int* coords, int direction, MPI_Comm comm, ADCL_Topology* topo);
/* The form before there were flips. */
int ADCL_Topology_create_sides(int ndims, const int* lneighbors, const int* rneighbors, const int* coords,
                               int direction, MPI_Comm comm, ADCL_Topology* topo);
#define ADCL_STARLING_OF_9(a, b, c, d, e, f, g, h, i, name, ...) name
#define ADCL_Topology_create_generic(...)                                                                        \
  ADCL_STARLING_OF_9(__VA_ARGS__, ADCL_Topology_create_generic, 0, ADCL_Topology_create_sides, 0, 0, 0, 0, 0, 0) \
  (__VA_ARGS__)
int ADCL_Topology_get_cart_number_neighbors(int ndims, int extended, int* nneigh);
int ADCL_Topology_get_cart_neighbors(int nneigh, int* lneighbors, int* rneighbors, int* flip, MPI_Comm cart_comm);
int ADCL_Topology_free(ADCL_Topology* topo);
int ADCL_Topology_dump(ADCL_Topology topo);

int ADCL_Attribute_create(int maxnvalues, const int* array_of_values, char** values_names, const char* attr_name,
                          ADCL_Attribute* attr);
int ADCL_Attribute_free(ADCL_Attribute* attr);
int ADCL_Attrset_create(int maxnum, const ADCL_Attribute* array_of_attributes, ADCL_Attrset* attrset);
int ADCL_Attrset_free(ADCL_Attrset* attrset);

int ADCL_Function_create(ADCL_work_fnct_ptr* fnctp, ADCL_Attrset attrset, const int* array_of_attrvalues,
                         const char* name, ADCL_Function* fnct);
int ADCL_Function_create_async(ADCL_work_fnct_ptr* init_fnct, ADCL_work_fnct_ptr* wait_fnct, ADCL_Attrset attrset,
                               const int* array_of_attrvalues, const char* name, ADCL_Function* fnct);
int ADCL_Function_free(ADCL_Function* fnct);
int ADCL_Fnctset_create(int maxnum, const ADCL_Function* fncts, const char* name, ADCL_Fnctset* fnctset);
int ADCL_Fnctset_create_single(ADCL_work_fnct_ptr* init_fnct, ADCL_work_fnct_ptr* wait_fnct, ADCL_Attrset attrset,
                               const char* name, int** without_attribute_combinations,
                               int num_without_attribute_combinations, ADCL_Fnctset* fnctset);
int ADCL_Fnctset_free(ADCL_Fnctset* fnctset);

int ADCL_Request_create(ADCL_Vector vec, ADCL_Topology topo, ADCL_Fnctset fnctset, ADCL_Request* req);
int ADCL_Request_create_generic(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset fnctset,
                                ADCL_Request* req);
int ADCL_Request_create_generic_rooted(ADCL_Vector svec, ADCL_Vector rvec, ADCL_Topology topo, ADCL_Fnctset fnctset,
                                       int root, ADCL_Request* req);
int ADCL_Request_free(ADCL_Request* req);
int ADCL_Request_start(ADCL_Request req);
int ADCL_Request_init(ADCL_Request req);
int ADCL_Request_wait(ADCL_Request req);
int ADCL_Request_progress(ADCL_Request req, int depth);
/* Programs of some years give no depth. */
#define ADCL_STARLING_PROGRESS(req, depth, ...) (ADCL_Request_progress)(req, depth)
#define ADCL_Request_progress(...) ADCL_STARLING_PROGRESS(__VA_ARGS__, 1, 1)
int ADCL_Request_start_overlap(ADCL_Request req, ADCL_work_fnct_ptr* midfctn, ADCL_work_fnct_ptr* endfcnt,
                               ADCL_work_fnct_ptr* totalfcnt);
int ADCL_Request_update(ADCL_Request req, TIME_TYPE time);
int ADCL_Request_get_comm(ADCL_Request req, MPI_Comm* comm, int* rank, int* size);
/* Names and arrays are the program's, to be freed by `free`. */
int ADCL_Request_get_curr_function(ADCL_Request req, char** function_name, char*** attrs_names, int* attrs_num,
                                   char*** attrs_values_names, int** attrs_values_num);
int ADCL_Request_get_winner_stat(ADCL_Request req, double* filtered_avg, double* unfiltered_avg, double* outliers_num);
int ADCL_Request_get_functions_with_average(ADCL_Request req, double filtered_avg, int* num_functions,
                                            char*** function_name, char*** attrs_names, int* attrs_num,
                                            char**** attrs_values_names, int*** attrs_values_num);
int ADCL_Request_save_status(ADCL_Request req, int* tested_num, double** unfiltered_avg, double** filtered_avg,
                             double** outliers, int* winner_so_far);
int ADCL_Request_restore_status(ADCL_Request req, int tested_num, double* unfiltered_avg, double* filtered_avg,
                                double* outliers);
int ADCL_Request_get_fsname(ADCL_Request req, char** fsname);
int ADCL_Request_get_tndims(ADCL_Request req, int* tndims);
int ADCL_Request_get_state(ADCL_Request req, int* state);

int ADCL_Timer_create(int nreq, const ADCL_Request* reqs, ADCL_Timer* timer);
int ADCL_Timer_add_request(ADCL_Timer timer, ADCL_Request req);
int ADCL_Timer_remove_request(ADCL_Timer timer, ADCL_Request req);
int ADCL_Timer_commit(ADCL_Timer timer);
int ADCL_Timer_start(ADCL_Timer timer);
int ADCL_Timer_stop(ADCL_Timer timer);
int ADCL_Timer_free(ADCL_Timer* timer);

int ADCL_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                        ADCL_Request* req);
int ADCL_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                     MPI_Comm comm, ADCL_Request* req);
int ADCL_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req);
int ADCL_Alltoallv_init(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype,
                        void* recvbuf, const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                        ADCL_Request* req);
int ADCL_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int* recvcounts, const int* displs, MPI_Datatype recvtype, MPI_Comm comm,
                         ADCL_Request* req);
int ADCL_Ibcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, ADCL_Request* req);
int ADCL_Ialltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                        MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req);
int ADCL_Iallgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm, ADCL_Request* req);
int ADCL_Ireduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                      MPI_Comm comm, ADCL_Request* req);

#ifdef __cplusplus
}
#endif

#endif
