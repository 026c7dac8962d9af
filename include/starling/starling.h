/* Starling's C interface, for programs that want to query it. To be tuned a program needs neither this header nor to be
 * linked to the library: `starling run` preloads the library into any MPI program.
 *
 * The functions are weak: a program that calls them links without the library, and runs without it if it checks
 * STARLING_PRESENT() first. */
#ifndef STARLING_STARLING_H
#define STARLING_STARLING_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the preloaded library, such as "0.1.0". */
const char* starling_version(void) __attribute__((weak));

/* 1 between MPI_Init and MPI_Finalize if collectives are tuned or counted. 0 if every call goes to the MPI library
 * unchanged: before and after, in a build for another MPI, in a set-uid program. */
int starling_is_active(void) __attribute__((weak));

/* Where this process runs, as run records and tuning tables say it, one a line: the name of the machine, the MPI
 * library ("openmpi"), its version. Empty where Starling is not active. The text stays valid. */
const char* starling_place(void) __attribute__((weak));

/* Bytes that processes like this one can still have: what the system has, or less where a control group is limited that
 * this process is in. All processes of the machine, or the group, share them. 0 if it is not known, or in a build for
 * another MPI. */
long long starling_available_memory(void) __attribute__((weak));

/* 1 if this process shares its processors with others of the program: more of these may run on them than they are, or
 * than a control group may use at a time, or STARLING_PROCESSORS says so. 0 where Starling is not active. */
int starling_shares_processors(void) __attribute__((weak));

/* The names of all ways to carry out a collective ("allreduce") on so many ranks in this process, one a line, "native"
 * first; those of the MPI library itself only where STARLING_LIBRARY is 1. Empty where the collective is unknown or
 * Starling is not active. The text stays valid. */
const char* starling_ways(const char* collective, int ranks) __attribute__((weak));

#ifdef MPI_VERSION /* declared where mpi.h was included before */

/* From now on blocking calls of the collective on `comm` go by the way of that name: one of starling_ways, or one with
 * other values of parameters, such as "chain?segment=8192"; "native" is the MPI library as it is. NULL or "" returns to
 * the run's strategy. What the way chosen before holds (communicators, memory) is freed.
 *
 * Collective: all ranks of `comm` choose the same, between the same calls, and not from an error handler. Returns 0;
 * 1 if Starling is not active, or `comm` is no communicator that it knows; 2 for an unknown collective; 3 for an
 * unknown way. Then nothing has changed. */
int starling_choose(MPI_Comm comm, const char* collective, const char* way) __attribute__((weak));

/* Why the latest call of the collective on `comm` did not go by the way that was chosen, a sentence without a full
 * stop: a way may refuse some numbers of ranks, sizes or operators, and native then carries out the call. Empty if the
 * call did go by it, or nothing was chosen. Valid until the next choice or call. */
const char* starling_refusal(MPI_Comm comm, const char* collective) __attribute__((weak));

#endif

/* Whether the library is preloaded. */
#define STARLING_PRESENT() (&starling_version != 0)

#ifdef __cplusplus
}
#endif

#endif
