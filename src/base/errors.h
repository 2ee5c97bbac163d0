// Errors as readers and commands make them.
#pragma once

#include <cstdint>
#include <string>

#include "profgauge/error.h"

namespace profgauge {

/// Of kind kInput. `help` is the next step, without the word; empty: there is none to tell.
Error InputError(std::string file, std::string code, std::string message, std::string help = {});

/// The same, at a byte of the (decompressed) input.
Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help = {});

/// Of kind kUsage: what was asked for cannot be done. `help` as above.
Error UsageError(std::string code, std::string message, std::string help = {});

}  // namespace profgauge
