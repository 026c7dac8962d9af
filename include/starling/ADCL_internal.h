/* Programs of ADCL's own test folder include this. What is internal here is not ADCL's: there is nothing in it. */
#include "ADCL.h"
