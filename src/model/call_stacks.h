#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// HostTable::call_stack of operators from the markers with a stack around them, or from the Python
/// functions, where a profile has functions and no call stacks.
void CallStacks(Profile& profile);

}  // namespace profgauge::link
