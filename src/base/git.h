// Reads commits and files from the git repository around a folder. Read-only.
// The repository may be a stranger's: git runs without a shell, hooks, file monitor, pager, network
// and GIT_… variables, takes no locks, and ends after 5 seconds. Without git, or if git rejects the
// folder, everything is unknown; callers decide how to continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::git {

/// True if the text may be the name of a commit or branch; other texts are never passed to git.
bool IsName(std::string_view text);

/// The checked-out commit of the repository around `folder`.
struct Head {
  std::string commit;     ///< The whole hash.
  std::string branch;     ///< Empty: detached.
  bool is_clean = false;  ///< No tracked file differs from the commit.
};
std::optional<Head> HeadOf(const std::string& folder);

/// Returns `commit` and its ancestors, nearest first like `git rev-list --topo-order`; at most
/// `most`. Empty: unknown.
std::vector<std::string> AncestorsOf(const std::string& folder, std::string_view commit,
                                     std::size_t most = 10'000);

/// A commit with its parents and time.
struct Commit {
  std::string hash;
  std::vector<std::string> parents;
  std::int64_t time = 0;  ///< Unix seconds.
};
std::optional<Commit> FindCommit(const std::string& folder, std::string_view commit);

/// The fork point of the checked-out commit from another branch.
struct Fork {
  std::string head;  ///< The commit that is checked out.
  std::string base;  ///< Their merge base; empty: unknown, e.g. in a shallow clone.
};
/// Finds the fork from the first of `branches` that exists. Each is a branch (first tried as a
/// branch of `origin`) or a commit. nullopt: none exists, or this is no repository.
std::optional<Fork> FindFork(const std::string& folder, const std::vector<std::string>& branches);

/// The file at `path`, relative to `folder`, in `commit`; nullopt if the commit does not have it.
std::optional<std::string> FileAt(const std::string& folder, std::string_view commit,
                                  std::string_view path);

/// True if the commit has the file, even without its contents: a partial clone has only those in
/// use.
bool HasFile(const std::string& folder, std::string_view commit, std::string_view path);

/// The configured `user.name`; empty: unknown.
std::string UserName(const std::string& folder);

}  // namespace profgauge::git
