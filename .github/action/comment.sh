#!/usr/bin/env bash
# Puts what was found as one comment on the pull request: made once, changed after. Where this may not be (a fork's
# token may only read), the summary says so; no secret is needed for that. It runs where no code of the pull request
# has run: what it reads is text, and text is all that comes of it.
set -euo pipefail

MOST=65536
marker="<!-- nodeworthy: $(printf '%s' "$KEY" | tr -c 'A-Za-z0-9_.' '-' | tr -s '-' | cut -c 1-200) -->"
body=$KEPT/comment.md

tell() {
    printf '\n%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"
    printf '::%s title=nodeworthy::%s\n' "${2:-notice}" "$1"
}

# As GitHub counts them: one that needs four bytes counts twice.
length_of() {
    jq --null-input --rawfile text "$1" '[$text | explode[] | if . > 65535 then 2 else 1 end] | add // 0'
}

write_body() {
    local file
    printf '%s\n' "$marker" >"$body"
    for file in "$KEPT"/preview.markdown "$KEPT"/check.markdown; do
        if [ -s "$file" ] && [ -f "$file" ] && [ ! -L "$file" ]; then
            cat "$body" "$file" >"$body.longer"
            if [ "$(length_of "$body.longer")" -le $((MOST - 200)) ]; then
                mv "$body.longer" "$body"
            else
                printf '*There is no room left here for the %s: it stands in the summary of the run.*\n\n' \
                    "$(basename "$file" .markdown)" >>"$body"
            fi
        fi
    done
}

# The status, alone on standard output; the answer is in $KEPT/answer.json. A token has no place in a command line.
ask() {
    local method=$1 path=$2
    shift 2
    curl --disable --silent --show-error --max-time 30 --request "$method" --output "$KEPT/answer.json" \
        --write-out '%{http_code}' --header 'Accept: application/vnd.github+json' \
        --header @<(printf 'Authorization: Bearer %s\n' "$TOKEN") "$@" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$path" ||
        true
}

# Ours is the first of our author's that begins with our marker: others may write what they like.
find_comment() {
    local page=1 status found
    while :; do
        status=$(ask GET "issues/$NUMBER/comments?per_page=100&page=$page" --retry 2)
        if [ "$status" != 200 ]; then
            echo "$status"
            return 1
        fi
        found=$(jq --raw-output --arg author "$AUTHOR" --arg marker "$marker" \
            'map(select(.user.login == $author and (.body | startswith($marker)))) | first.id // empty' \
            "$KEPT/answer.json")
        if [ -n "$found" ] || [ "$(jq length "$KEPT/answer.json")" -lt 100 ]; then
            echo "$found"
            return
        fi
        page=$((page + 1))
    done
}

put_comment() {
    local found status message=$KEPT/message.json
    jq --null-input --rawfile body "$body" '{body: $body}' >"$message"
    if ! found=$(find_comment); then
        status=$found
    elif [ -n "$found" ]; then
        status=$(ask PATCH "issues/comments/$found" --data "@$message")
    else
        status=$(ask POST "issues/$NUMBER/comments" --data "@$message")
    fi
    case $status in
    200 | 201) ;;
    401 | 403 | 404) tell "There is no comment on this pull request: this run may not write one, as with a fork's. All of it stands in the summary of the run." ;;
    *) tell "There is no comment on this pull request: GitHub answered $status. All of it stands in the summary of the run." warning ;;
    esac
}

write_body
if [ -n "$NUMBER" ]; then
    if [ -n "$TOKEN" ]; then
        put_comment
    else
        tell "There is no comment on this pull request: no token was given. All of it stands in the summary of the run."
    fi
fi
