#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/profile.h"
#include "model/profile_builder.h"

namespace profgauge::link {

/// Fills HostTable::call_stack of operators that have none: from the stack of an enclosing marker
/// or, if the profile has no stacks at all, from the Python functions around the operator.
void CallStacks(Profile& profile);

}  // namespace profgauge::link
