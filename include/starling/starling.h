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

/* Whether the library is preloaded. */
#define STARLING_PRESENT() (&starling_version != 0)

#ifdef __cplusplus
}
#endif

#endif
