#!/bin/sh
# Sends a verdict to Microsoft Teams: teams.sh VERDICT.json [LINK]
# VERDICT.json is what `profgauge check … --write verdict=VERDICT.json` writes, also where nothing could be judged.
# $TEAMS_WORKFLOW_URL is the URL of a workflow "Post to a channel when a webhook request is received".
set -eu
: "${TEAMS_WORKFLOW_URL:?set it to the URL of the workflow}"
message=$(python3 - "$@" << 'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    verdict = json.load(file)
lines = [f"{verdict['status'].replace('_', ' ').upper()}  {verdict['name']}"]
lines += verdict["reasons"][:10]
# A text run is shown as it is. A text block would take stars and brackets for markup.
body = [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line[:200], "weight": "Bolder" if i == 0 else "Default"}]}
        for i, line in enumerate(lines)]
card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
if len(sys.argv) > 2:
    card["actions"] = [{"type": "Action.OpenUrl", "title": "Report", "url": sys.argv[2]}]
print(json.dumps({"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}]}))
END
)
printf '%s' "$message" | curl --fail --silent --show-error -H 'Content-Type: application/json' --data-binary @- "$TEAMS_WORKFLOW_URL"
