// Names of commands and options that were, or that newcomers expect: what to write instead. The
// former were in no release, but in scripts of those who built the program; their table goes with
// the first release.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "profgauge/error.h"

namespace profgauge::cli {

struct Gone {
  std::string_view name;     ///< "--junit", the words of a command, or a variable.
  std::string_view command;  ///< Of an option: the command that had it, "*": several. Else empty.
  std::string_view help;     ///< What to write; `{}` is the value that was given, else `otherwise`.
  std::string_view otherwise = "FILE";
};
/// An option's row of one command comes before that of all.
std::span<const Gone> AllGone();
/// Names that never were, several in one row by blanks. Each help is a line to type.
std::span<const Gone> AllGuessed();

/// The error "usage/gone" of a command whose words `args` begin with, or of a variable of that
/// name; "usage/unknown-command" with the line to type of one that was guessed; else nothing.
std::optional<Error> GoneCommand(std::span<const std::string> args);

/// The error "usage/gone" of an option that `command` had: "`--junit` is gone", with what to write
/// instead; "usage/unknown-option" of one that was guessed. `value`: the value that was given, or
/// empty. Else nothing.
std::optional<Error> GoneOption(std::string_view command, std::string_view name,
                                std::string_view value);

}  // namespace profgauge::cli
