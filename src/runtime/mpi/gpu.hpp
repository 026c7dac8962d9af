#pragma once

namespace starling {

/// Whether a GPU's runtime library is loaded into this process, so that buffers may lie where only it can reach them.
bool has_gpu_runtime();

}  // namespace starling
