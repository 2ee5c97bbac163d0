// What git knows of the repository around a folder: commits and files of them. Read only.
//
// The repository may be a stranger's: git runs without a shell, hooks, file monitor, pager, network
// and GIT_… variables, takes no locks, and ends after 5 seconds. Without git, or where it refuses
// the folder, everything is unknown: callers say what they do then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::git {

/// Whether the text may be the name of a commit or branch; others never reach git.
bool IsName(std::string_view text);

/// The commit that is checked out in the repository around `folder`.
struct Head {
  std::string commit;     ///< The whole hash.
  std::string branch;     ///< Empty: detached.
  bool is_clean = false;  ///< No tracked file differs.
};
std::optional<Head> HeadOf(const std::string& folder);

/// `commit` and its ancestors, nearest first as `git rev-list --topo-order` has them; at most
/// `most`. Empty: unknown.
std::vector<std::string> AncestorsOf(const std::string& folder, std::string_view commit,
                                     std::size_t most = 10'000);

/// The parents and the time of a commit.
struct Commit {
  std::string hash;
  std::vector<std::string> parents;
  std::int64_t time = 0;  ///< Unix seconds.
};
std::optional<Commit> FindCommit(const std::string& folder, std::string_view commit);

/// Where the commit that is checked out left another branch.
struct Fork {
  std::string head;  ///< The commit that is checked out.
  std::string base;  ///< Their merge base; empty: unknown, as in a shallow clone.
};
/// Of the first of `branches` that exists: each is a branch, first tried as one of `origin`, or a
/// commit. Nothing: none exists, or this is no repository.
std::optional<Fork> FindFork(const std::string& folder, const std::vector<std::string>& branches);

/// The file at `path`, relative to `folder`, as `commit` has it. Nothing: it has none.
std::optional<std::string> FileAt(const std::string& folder, std::string_view commit,
                                  std::string_view path);

/// Whether it has one, though perhaps without its text: a partial clone has only those in use.
bool HasFile(const std::string& folder, std::string_view commit, std::string_view path);

/// The configured `user.name`; empty: unknown.
std::string UserName(const std::string& folder);

}  // namespace profgauge::git
