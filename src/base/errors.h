// Errors as readers and commands make them.
#pragma once

#include <cstdint>
#include <string>

#include "profgauge/error.h"

namespace profgauge {

/// An error of kind kInput. `help` is the next step, without the word; empty: there is none.
Error InputError(std::string file, std::string code, std::string message, std::string help = {});

/// The same, at a byte of the (decompressed) input.
Error InputErrorAt(std::string file, std::uint64_t offset, std::string code, std::string message,
                   std::string help = {});

/// An error of kind kUsage: the request cannot be carried out. `help` as above.
Error UsageError(std::string code, std::string message, std::string help = {});

}  // namespace profgauge
