#pragma once

namespace starling::testing {

/// Whether this is compiled with sanitizers: ten times as slow, and after mistakes in the code, not in algorithms,
/// which are proven without. So fewer cases will do.
#ifdef STARLING_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace starling::testing
