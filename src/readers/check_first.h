// What to look at first when a real file turns up of a form that was built without one: no file
// that the tool itself wrote could be had, only its documentation, sources and files made by them.
#pragma once

#include <string_view>

#include "model/profile.h"

namespace profgauge {

/// In a sentence; empty for forms that real files were read of.
std::string_view WhatToCheckFirst(const Source& source);

}  // namespace profgauge
