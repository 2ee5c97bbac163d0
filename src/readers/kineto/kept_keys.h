// The contents of a shared copy of a trace: the keys that the reader takes.
#pragma once

#include "readers/text/json_copy.h"

namespace profgauge::readers::kineto {

JsonKeep KeptKeys();

}  // namespace profgauge::readers::kineto
