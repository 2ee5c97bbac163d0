#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// Fills HostTable::call_stack of operators in profiles without recorded call stacks: from
/// enclosing markers that have a stack, or from the Python frames.
void CallStacks(Profile& profile);

}  // namespace profgauge::link
