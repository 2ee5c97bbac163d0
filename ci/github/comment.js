// One comment per pull request and job, which later runs update. For actions/github-script:
//   await require("./comment.js")({github, context, core}, {name, number, file})
//   await require("./comment.js").forFork({github, context, core}, {name, number, file, conclusion})
// A token that may not write, as in pull requests of forks, is a notice and no failure.
const fs = require("fs");

const LARGEST = 65536; // Characters that GitHub takes.
const LARGEST_VERDICT = 1 << 20; // Bytes.

const write = async ({github, context, core}, {name, number, text}) => {
  const marker = `<!-- profgauge-job:${name} -->`;
  const body = `${marker}\n${text}`.slice(0, LARGEST);
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

module.exports = async (at, {name, number, file}) => {
  if (!fs.lstatSync(file, {throwIfNoEntry: false})?.isFile()) {  // Nor a link, to a file with a secret.
    at.core.notice(`there is no ${file}: nothing to comment`, {title: "profgauge"});
    return;
  }
  await write(at, {name, number, text: fs.readFileSync(file, "utf8")});
};

// The text of a comment on a fork: our own words with fields of verdict.json that look as ours do. Everybody can write
// that file, so nothing else of it is shown, and what the workflow ended with comes first.
// `on-no-verdict: warn` succeeds.
const STATUS = {pass: ["success"], fail: ["failure"], no_verdict: ["success", "failure"]};
const forkText = (bytes, conclusion) => {
  let verdict = null;
  try {
    if (bytes.length <= LARGEST_VERDICT) verdict = JSON.parse(bytes);
  } catch {
    // Said below.
  }
  const ended = /^[a-z_]{1,30}$/.test(conclusion) ? conclusion : "unknown";
  const first = `**The workflow ended with ${ended}.**`;
  const last = "They come from a fork: open the run for the report.";
  if (typeof verdict?.status !== "string" || !Object.hasOwn(STATUS, verdict.status)) return `${first} The files of the pull request have no verdict. ${last}`;
  const count = (list) => (Array.isArray(list) && list.length <= 9999 ? list.length : 0);
  const reasons = Array.isArray(verdict.reasons) ? verdict.reasons.slice(0, 9999) : [];
  const metrics = reasons.map((reason) => /^([a-z][a-z_.]{0,59}) is /.exec(typeof reason === "string" ? reason : "")?.[1]);
  const named = [...new Set(metrics.filter(Boolean))].slice(0, 10).map((metric) => `\`${metric}\``);
  const parts = [verdict.status.replace("_", " "), `${reasons.length} reasons`, `${count(verdict.errors)} errors`];
  const lines = [];
  if (count(verdict.accepted) > 0) lines.push("Accepted by the author of this pull request.");
  if (!STATUS[verdict.status].includes(ended)) lines.push("The files of the pull request differ from how the workflow ended.");
  lines.push(`${first} The files of the pull request say: ${parts.join(", ")}${named.length > 0 ? ` (${named.join(", ")})` : ""}. ${last}`);
  return lines.join(" ");
};

module.exports.forkText = forkText;
module.exports.forFork = async (at, {name, number, file, conclusion}) => {
  const size = fs.statSync(file, {throwIfNoEntry: false})?.size ?? 0;
  const bytes = size > 0 && size <= LARGEST_VERDICT ? fs.readFileSync(file, "utf8") : "";
  await write(at, {name, number, text: forkText(bytes, conclusion)});
};
