/* Patterns of communication of the application's own, tuned while it runs: Starling's C interface to ADCL's nouns.
 *
 * A *request* is a pattern that the program repeats: a *function set* (several functions that do the same), the
 * *vectors* that they work on and the *topology* of the ranks. Each start of the request calls one function of the set;
 * in the first starts several are tried, and then the fastest is used (docs/patterns.md).
 *
 * Handles are opaque; NULL is none. A freed handle, or one of another kind, is an error, never undefined. An object
 * lives as long as another one needs it, so the order in which handles are freed does not matter.
 *
 * Every function returns STARLING_SUCCESS or a code below. `starling_error_text` says what the code means, and
 * `starling_error_detail` what was wrong in the latest call that failed on this thread.
 *
 * Collective are those that say so: all ranks of the topology call them, in the same order. All are to be called
 * between MPI_Init and MPI_Finalize. Compile and link with `starling config --flags`. */
#ifndef STARLING_PATTERNS_H
#define STARLING_PATTERNS_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ---- */

enum {
  STARLING_SUCCESS = 0,
  STARLING_ERROR_ARGUMENT = 1,     /* a null address, or a number that is out of range */
  STARLING_ERROR_HANDLE = 2,       /* a handle that is freed, null or of another kind */
  STARLING_ERROR_DIMENSIONS = 3,   /* a number of dimensions or an extent that cannot be, or that does not fit */
  STARLING_ERROR_HALO = 4,         /* a halo that is negative, or wider than the block it surrounds */
  STARLING_ERROR_DATATYPE = 5,     /* a datatype that is null or not predefined */
  STARLING_ERROR_COMMUNICATOR = 6, /* a communicator that is null, or has not the topology that is asked for */
  STARLING_ERROR_TOPOLOGY = 7,     /* a topology that does not fit */
  STARLING_ERROR_ATTRIBUTE = 8,    /* a value that an attribute does not have; functions of one set with equal values,
                                      or with different attribute sets */
  STARLING_ERROR_FUNCTION = 9,     /* a missing function */
  STARLING_ERROR_VECTOR = 10,      /* a vector that does not fit the function set */
  STARLING_ERROR_STATE = 11,       /* a call out of order: a wait without an init, a start while one is in flight */
  STARLING_ERROR_STRATEGY = 12,    /* a strategy that there is not */
  STARLING_ERROR_FAILED = 13,      /* the function of the set failed on this rank */
  STARLING_ERROR_MPI = 14,         /* the MPI library returned an error */
  STARLING_ERROR_MEMORY = 15,      /* no memory left */
  STARLING_ERROR_UNDECIDED = 16,   /* the request has no winner yet */
  STARLING_ERROR_INACTIVE = 17     /* called before MPI_Init or after MPI_Finalize, or without this library's MPI */
};

/* The meaning of a code, a sentence without a full stop. The text stays valid. */
const char* starling_error_text(int code);

/* What was wrong in the latest call that failed on this thread, and what to do about it. Valid until the next one. */
const char* starling_error_detail(void);

/* ---- topology: who the neighbours are ---- */

typedef struct starling_topology_s* starling_topology;

/* A topology refers to its communicator. It may be freed when all requests on the topology are made, unless collectives
 * (`starling_function_set_predefined`) or the program's functions use it.
 *
 * The grid of a Cartesian communicator. With `corners` (not 0) the cells that lie diagonally count as neighbours too.
 * Errors: COMMUNICATOR (not Cartesian), ARGUMENT, MPI. */
int starling_topology_cartesian(MPI_Comm cartesian, int corners, starling_topology* made);

/* A grid of `dimensions` dimensions by its neighbours: the ranks left[i] and right[i] of `comm` in dimension i,
 * MPI_PROC_NULL for none. `coordinates`: this rank's place in the grid, or NULL. 0 dimensions: only a communicator.
 * Errors: DIMENSIONS, COMMUNICATOR, ARGUMENT, MPI. */
int starling_topology_grid(int dimensions, const int* left, const int* right, const int* coordinates, MPI_Comm comm,
                           starling_topology* made);

/* The neighbours of a communicator with a graph or distributed graph topology. Errors: COMMUNICATOR, ARGUMENT, MPI. */
int starling_topology_graph(MPI_Comm graph, starling_topology* made);

/* Ranks of the communicator that this rank receives from and sends to: `count` of each, as MPI orders them. Each of the
 * addresses may be NULL. The arrays belong to the topology. Errors: HANDLE. */
int starling_topology_neighbours(starling_topology topology, int* sources, const int** source, int* targets,
                                 const int** target);

int starling_topology_free(starling_topology* topology);

/* ---- map: which part of a vector is exchanged ---- */

typedef struct starling_map_s* starling_map;

int starling_map_halo(int width, starling_map* made); /* a halo of so many cells on each side */
int starling_map_all(starling_map* made);             /* all of it */
int starling_map_list(int ranks, const int* counts, const int* displacements,
                      starling_map* made);                          /* a part for each rank, in elements */
int starling_map_counts(int send, int receive, starling_map* made); /* so many elements to and from each rank */
int starling_map_operator(MPI_Op op, starling_map* made);           /* all of it, reduced by an operator */
int starling_map_in_place(starling_map* made);                      /* MPI_IN_PLACE: the vector has no data */
int starling_map_free(starling_map* map);

/* ---- vector: the program's data ---- */

typedef struct starling_vector_s* starling_vector;

enum { STARLING_ORDER_C = 0, STARLING_ORDER_FORTRAN = 1 };

/* An array of `dimensions` dimensions, extents[i] elements in dimension i, halo cells on both sides included. Each
 * element is `values` values of the predefined datatype `type`; 0 is 1. In C's order the last index is that of
 * neighbours in memory, and the values of an element lie behind each other; in Fortran's the first index is, and
 * `values` is one more, last dimension. `data` is the program's memory: contiguous, and valid until the vector is
 * freed.
 *
 * Errors: DIMENSIONS (no dimensions, a negative extent, or one of 0 with a halo), HALO (no cell between the halos, or
 * fewer than a halo is wide), DATATYPE, HANDLE, ARGUMENT. */
int starling_vector_register(int dimensions, const int* extents, int values, starling_map map, MPI_Datatype type,
                             int order, void* data, starling_vector* made);

/* The same with memory of the library's, cleared, freed with the vector. `*data` is its address. */
int starling_vector_allocate(int dimensions, const int* extents, int values, starling_map map, MPI_Datatype type,
                             int order, void** data, starling_vector* made);

int starling_vector_free(starling_vector* vector);

/* ---- attributes: what functions of a set differ in ---- */

typedef struct starling_attribute_s* starling_attribute;
typedef struct starling_attribute_set_s* starling_attribute_set;

/* A characteristic of functions with `count` different values. `value_names` may be NULL: the values in digits. */
int starling_attribute_create(const char* name, int count, const int* values, const char* const* value_names,
                              starling_attribute* made);
int starling_attribute_free(starling_attribute* attribute);

int starling_attribute_set_create(int count, const starling_attribute* attributes, starling_attribute_set* made);
int starling_attribute_set_free(starling_attribute_set* set);

/* ---- functions and function sets ---- */

typedef struct starling_request_s* starling_request;
typedef struct starling_function_s* starling_function;
typedef struct starling_function_set_s* starling_function_set;

/* A function of the program's that carries out a pattern, or a part of it. Returns 0, or the program's own number of an
 * error: then the start returns STARLING_ERROR_FAILED on this rank, and all ranks leave the function out after their
 * next agreement. It must not start or free the request that it is called for. */
typedef int starling_work(starling_request request, void* context);

/* A function that does it all in `work`. `context` is passed on. `set` and `values`, one of each attribute, may be
 * NULL, but all functions of a function set have the same attribute set. Without a `name` it gets a number.
 * Errors: FUNCTION (no work), ATTRIBUTE, HANDLE, ARGUMENT. */
int starling_function_create(const char* name, starling_work* work, void* context, starling_attribute_set set,
                             const int* values, starling_function* made);

/* A function that begins in `begin` and ends in `finish`, so that the program can compute between them. `progress` may
 * be NULL; it is called while the program waits or asks for progress. */
int starling_function_split(const char* name, starling_work* begin, starling_work* progress, starling_work* finish,
                            void* context, starling_attribute_set set, const int* values, starling_function* made);
int starling_function_free(starling_function* function);

/* Functions that do the same. The first one is the baseline: what is used where nothing is tried.
 * Errors: ATTRIBUTE (two with equal values, or different attribute sets), HANDLE, ARGUMENT. */
int starling_function_set_create(const char* name, int count, const starling_function* functions,
                                 starling_function_set* made);

/* A function for each combination of attribute values but those in `excluded`, `excluded_count` arrays of one value of
 * each attribute. All share `begin`, `finish` (or NULL) and `context`; starling_request_attribute tells which it is. */
int starling_function_set_combinations(const char* name, starling_work* begin, starling_work* finish, void* context,
                                       starling_attribute_set set, int excluded_count, const int* const* excluded,
                                       starling_function_set* made);

/* A set of the library's: "neighborhood", "shift_ltor", "shift_rtol", every collective that `starling algorithms` names
 * ("allreduce"), and its nonblocking form ("iallreduce"). It is never freed. Errors: ARGUMENT (no such). */
int starling_function_set_predefined(const char* name, starling_function_set* made);
int starling_function_set_free(starling_function_set* set);

/* ---- requests ---- */

/* Binds a set to vectors and a topology. `send` and `receive` may be NULL where the set needs none, and equal;
 * `topology` NULL is MPI_COMM_WORLD; `root` is a rank where the set has one. `strategy` is one of `starling
 * strategies`, NULL is the run's. Collective: what one rank refuses is an error on all; its own detail says why.
 * Errors: HANDLE, TOPOLOGY, DIMENSIONS, VECTOR, HALO, STRATEGY, ARGUMENT, MPI. */
int starling_request_create(starling_function_set set, starling_topology topology, starling_vector send,
                            starling_vector receive, int root, const char* strategy, starling_request* made);

/* Carries out the pattern once. Collective. Errors: HANDLE, STATE, FAILED, MPI. */
int starling_request_start(starling_request request);

/* The same in two parts, both collective. A function without parts does it all in `init`. Requests may be in flight
 * together; all ranks wait for them in the same order, but for nonblocking collectives. */
int starling_request_init(starling_request request);
int starling_request_wait(starling_request request);

/* Lets messages of a request in flight advance; `complete` (or NULL) tells whether its part on this rank has ended. */
int starling_request_progress(starling_request request, int* complete);

/* Errors: STATE while it is in flight. Collective. */
int starling_request_free(starling_request* request);

/* For functions of a set, and for the program. Texts and arrays belong to the request; addresses may be NULL. */

/* The function of the present call, else of the latest one; of the next one before the first. */
int starling_request_function(starling_request request, const char** name);
/* The value of an attribute of that function. Errors: ATTRIBUTE (no such). */
int starling_request_attribute(starling_request request, const char* attribute, int* value);
int starling_request_communicator(starling_request request, MPI_Comm* comm, int* rank, int* ranks);
int starling_request_data(starling_request request, void** send, void** receive);

/* 1 while functions are tried, else 0. */
int starling_request_exploring(starling_request request, int* exploring);
/* The function that was chosen. Errors: UNDECIDED. */
int starling_request_winner(starling_request request, const char** name);
/* Seconds a call of a function while it was tried, on the slowest rank: the mean, the mean without outliers, and their
 * number (STARLING_OUTLIER_FACTOR, STARLING_OUTLIER_FRACTION). Errors: UNDECIDED, FUNCTION (no such). */
int starling_request_figures(starling_request request, const char* function, double* mean, double* filtered,
                             int* outliers);

/* The program has measured the latest call itself: its seconds count in place of Starling's. All ranks measure, or
 * none. Errors: STATE (no call since), ARGUMENT (no time). */
int starling_request_update(starling_request request, double seconds);

/* ---- timers: requests tuned by the time of a section of code ---- */

typedef struct starling_timer_s* starling_timer;

/* The time from start to stop counts for all requests of the timer. One request at a time tries its functions; the next
 * one does so when that has chosen. All have communicators of the same ranks in the same order. Errors: TOPOLOGY. */
int starling_timer_create(int count, const starling_request* requests, starling_timer* made);
int starling_timer_add(starling_timer timer, starling_request request);
int starling_timer_remove(starling_timer timer, starling_request request);
int starling_timer_start(starling_timer timer);
int starling_timer_stop(starling_timer timer);
int starling_timer_free(starling_timer* timer);

#ifdef __cplusplus
}
#endif

#endif
