/* Stands in for the runtime library of a GPU: only its name matters. */
int starling_test_gpu_runtime(void);

int starling_test_gpu_runtime(void) {
  return 0;
}
