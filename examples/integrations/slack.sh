#!/bin/sh
# Sends a verdict to Slack: slack.sh VERDICT.json [LINK]
# VERDICT.json is what `profgauge check … --write verdict=VERDICT.json` writes, also where nothing could be judged.
# $SLACK_WEBHOOK_URL is an incoming webhook.
set -eu
: "${SLACK_WEBHOOK_URL:?set it to the URL of an incoming webhook}"
message=$(python3 - "$@" << 'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    verdict = json.load(file)
lines = [f"{verdict['status'].replace('_', ' ').upper()}  {verdict['name']}"]
lines += [f"• {reason}" for reason in verdict["reasons"][:10]]
# Slack takes these three characters for markup, and at most 3 000 in a block.
text = "\n".join(line[:200] for line in lines).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
print(json.dumps({"text": text + (f"\n<{sys.argv[2]}|Report>" if len(sys.argv) > 2 else "")}))
END
)
printf '%s' "$message" | curl --fail --silent --show-error -H 'Content-Type: application/json' --data-binary @- "$SLACK_WEBHOOK_URL"
