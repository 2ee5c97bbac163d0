// What a shared copy of a trace keeps: the keys that the reader takes.
#pragma once

#include "readers/text/json_copy.h"

namespace profgauge::readers::kineto {

JsonKeep KeptKeys();

}  // namespace profgauge::readers::kineto
