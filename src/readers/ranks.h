// The rank of each profile of a run, and the source that states it.
//
// Profiles of several files are ranks of one run only where something states it: the rank that each
// file records, a process group that all of them communicate in, the NeuronCore that each records,
// the folder into which a tool writes the hosts of one session, the files' names, or the caller. A
// name states a rank by a number after "rank", "worker", "TP" or another such word
// (RanksOfNames()). Without a statement they may be separate runs, of which a good one would hide a
// bad one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::readers {

/// The source that makes profiles of several files ranks of one run.
enum class RanksFrom : std::uint8_t {
  kRecorded,  ///< Only the files, their process groups, folder or names.
  kListed,    ///< The caller: they are ranks 0, 1, … in the order given.
  kNothing,   ///< Nothing: each file is a separate run.
};

/// The ranks that names state; nothing where they state none. Paths must have equal texts around
/// their numbers; those that are equal in all, and times, do not count. A number belongs to the
/// word before it. The first of "rank", "worker", "profile", "tp", "ep", "dp", … whose numbers all
/// differ has the ranks; if "rank" repeats they are local ones, and there are none. Where no word
/// alone suffices, the numbers are places in a grid that the files fill.
///
///   rank0.json, rank1.json             0 and 1; so for worker0, TP-0
///   node1/rank0.json, node0/rank1.json 0 and 1: of whatever node
///   node0/rank0.json, node1/rank0.json nothing
///   tp0_pp0, tp1_pp0, tp0_pp1, tp1_pp1 0 to 3: tp changes fastest
///   step_1/rank0.json, step_2/rank1.json   nothing: of different moments
///   host_1.json, host_2.json           nothing: "host" is no word of a rank
///   worker0.17…01.pt.trace.json, worker1.17…09.pt.trace.json   0 and 1: the others are times
///   rank0.json, rank0_copy.json        nothing: the texts differ
std::optional<std::vector<std::int64_t>> RanksOfNames(const std::vector<std::string>& paths);

/// The fact of a profile whose rank GiveRanks() gave; its value is the source.
inline constexpr std::string_view kRanksGivenBy = "ranks given by";
/// That value where only the caller makes files ranks of one run.
inline constexpr std::string_view kByOrder = "their order on the command line";

/// Gives ranks to profiles that record none: by their names (kRecorded; not where time, version,
/// iterations or world size say that they are of different runs) or by their order (kListed). Their
/// facts say so. Ranks that are recorded stay; where a name contradicts one, or states one beyond
/// the world size, no name counts. A single profile gets none.
void GiveRanks(std::vector<Profile>& profiles, RanksFrom from);

/// Takes out profiles of a server or a launcher beside the complete ranks of a run (vLLM writes one
/// of its coordinator), and gives a line for each: path and reason.
std::vector<std::string> LeaveOutCoordinators(std::vector<Profile>& profiles);

/// Whether the profiles are of one file, or something states that they are ranks of one run.
/// REQUIRES: GiveRanks() has been called.
bool AreRanksKnown(const std::vector<Profile>& profiles);

/// Errors: kInput "input/ranks-unknown" unless AreRanksKnown(), with a command for each choice.
Status CheckRanksKnown(const std::vector<Profile>& profiles, const std::string& where);

}  // namespace profgauge::readers
