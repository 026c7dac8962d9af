#pragma once

namespace starling {

/// Whether a GPU runtime library is loaded in this process, so that buffers may lie in GPU memory.
bool has_gpu_runtime();

}  // namespace starling
