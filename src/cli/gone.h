// Names of commands and options that were removed, or that newcomers guess, with the replacement.
// No release had the removed ones, but scripts of users of development versions did; their table
// will be deleted with the first release.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::cli {

struct Gone {
  std::string_view name;     ///< "--junit", the words of a command, or a variable.
  std::string_view command;  ///< The command that had the option; "*": several; else empty.
  std::string_view help;     ///< The replacement; `{}` is the given value, else `otherwise`.
  std::string_view otherwise = "FILE";
};
/// A row for an option of one command comes before a row for all commands.
std::span<const Gone> AllGone();
/// Names that never existed; several in one row, separated by blanks. Each help is a line to type.
std::span<const Gone> AllGuessed();

/// The error "usage/gone" if `args` begin with the words of a removed command or name a removed
/// variable; "usage/unknown-command" with the line to type for a guessed command; else nullopt.
std::optional<Error> GoneCommand(std::span<const std::string> args);

/// The error "usage/gone" for an option that `command` had ("`--junit` is gone"), with the
/// replacement; "usage/unknown-option" for a guessed option; else nullopt. `value` is the given
/// value, or empty.
std::optional<Error> GoneOption(std::string_view command, std::string_view name,
                                std::string_view value);

}  // namespace profgauge::cli
