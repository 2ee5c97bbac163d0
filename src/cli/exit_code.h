// The program's exit codes. The numbers are an interface: scripts depend on them, and README.md
// lists them. If several apply, the precedence is 70, 2, 4, 1, 3, 0: a certain failure takes
// precedence over a missing verdict.
#pragma once

#include "profgauge/error.h"

namespace profgauge::cli {

enum ExitCode : int {
  kExitPass = 0,        ///< Passed, warnings allowed; `report` and other commands: done.
  kExitFail = 1,        ///< `check`: a limit or finding at or above `fail_on`.
  kExitUsage = 2,       ///< Command line, policy or rules.
  kExitNoVerdict = 3,   ///< The input cannot be read or judged.
  kExitOutput = 4,      ///< A report could not be written.
  kExitInternal = 70,   ///< A defect of ProfGauge.
  kExitOnSignal = 128,  ///< Plus the signal's number: 129 SIGHUP, 130 SIGINT, 143 SIGTERM.
};

inline ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput:
      return kExitNoVerdict;
    case ErrorKind::kConfig:
    case ErrorKind::kUsage:
      return kExitUsage;
    case ErrorKind::kOutput:
      return kExitOutput;
    case ErrorKind::kInternal:
      break;
  }
  return kExitInternal;
}

/// The one of two exit codes that takes precedence.
inline int StrongerExit(int a, int b) {
  constexpr int kOrder[] = {kExitInternal, kExitUsage, kExitOutput, kExitFail, kExitNoVerdict};
  for (const int code : kOrder) {
    if (a == code || b == code) return code;
  }
  return kExitPass;
}

}  // namespace profgauge::cli
