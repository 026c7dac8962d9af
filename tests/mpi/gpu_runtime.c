/* Stands in for the runtime library of a GPU: there is nothing but its name. */
int starling_test_gpu_runtime(void);

int starling_test_gpu_runtime(void) {
  return 0;
}
