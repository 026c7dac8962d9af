#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace starling {

/// Calls `visit` with the folder of the control group that this process is in, of cgroup v1 or v2, and with those of
/// all groups around it; not of those that are not seen here. Of v1 with those of `controller` ("cpu"). `root` is the
/// folder in which `proc` and `sys` are.
void each_control_group(const std::string& root, std::string_view controller,
                        const std::function<void(const std::string& folder)>& visit);

}  // namespace starling
