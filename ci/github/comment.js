// One comment per pull request and job, which later runs update. For actions/github-script:
//   await require("./comment.js")({github, context, core}, {name, number, file})
// A token that may not write, as in pull requests of forks, is a notice and no failure.
const fs = require("fs");

const LARGEST = 65536; // Characters that GitHub takes.

module.exports = async ({github, context, core}, {name, number, file}) => {
  if (!fs.existsSync(file)) {
    core.notice(`there is no ${file}: nothing to comment`, {title: "profgauge"});
    return;
  }
  const marker = `<!-- profgauge-job:${name} -->`;
  const body = `${marker}\n${fs.readFileSync(file, "utf8")}`.slice(0, LARGEST);
  const at = {owner: context.repo.owner, repo: context.repo.repo};
  try {
    const pages = github.paginate.iterator(github.rest.issues.listComments, {...at, issue_number: number, per_page: 100});
    for await (const {data} of pages) {
      const ours = data.find((comment) => comment.user?.type === "Bot" && comment.body?.startsWith(marker));
      if (ours) {
        await github.rest.issues.updateComment({...at, comment_id: ours.id, body});
        return;
      }
    }
    await github.rest.issues.createComment({...at, issue_number: number, body});
  } catch (error) {
    if (![401, 403, 404].includes(error.status)) throw error;
    core.notice(`the token may not comment (${error.status}); profgauge-comment.yml does for forks`, {title: "profgauge"});
  }
};
