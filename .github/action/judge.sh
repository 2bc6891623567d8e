#!/usr/bin/env bash
# Previews the stack and checks the files that were named. Lines are annotated by what is printed here, the summary of
# the run has all of it, and what a comment says is kept in $KEPT: the job ends with the exit code when all is said.
set -euo pipefail

mkdir -p "$KEPT"
rm -f "$KEPT"/*
ended=0
read -r -d '' -a more <<<"$ARGUMENTS" || true
read -r -d '' -a paths <<<"$CHECK" || true

# Settings may name rules, which are code. Of a fork nothing in them decides, unless the workflow says so.
case $SETTINGS:$FORK in
true:*) ;;
auto:true | false:*) more+=(--no-settings) ;;
auto:*) more+=(--no-own-rules) ;;
*)
    echo "::error title=nodeworthy::settings is auto, true or false"
    exit 2
    ;;
esac

# What a program of the pull request prints is no command to the runner.
show() {
    local word
    word=$(od -A n -N 16 -t x1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$word"
    cat
    printf '\n::%s::\n' "$word"
}

# 2 is said before 1, and that before 3; whatever else it was, it proved nothing.
worse() {
    local code
    for code in 2 1 3; do
        if [ "$1" = "$code" ] || [ "$2" = "$code" ]; then
            echo "$code"
            return
        fi
    done
    echo $(($1 > $2 ? $1 : $2))
}

could_not() {
    printf '<!-- nodeworthy %s -->\n\n### nodeworthy: the %s could not be run (exit code %s)\n\n' "$1" "$1" "$2"
    tail -n 60 "$KEPT/$1.err" | tr -d '\000-\010\013-\037\177' | cut -c 1-500 | sed 's/^/    /'
    printf '\n'
}

run() {
    local name=$1 code=0 form
    shift
    local reports=()
    for form in markdown json sarif junit; do
        reports+=(--also "$form=$KEPT/$name.$form")
    done
    "$NODEWORTHY" "$name" "$@" ${more[@]+"${more[@]}"} --format github "${reports[@]}" 2>"$KEPT/$name.err" || code=$?
    if [ -s "$KEPT/$name.err" ]; then
        show <"$KEPT/$name.err"
    fi
    if [ ! -s "$KEPT/$name.markdown" ]; then
        could_not "$name" "$code" >"$KEPT/$name.markdown"
    fi
    ended=$(worse "$ended" "$code")
}

if [ -n "$STACK" ]; then
    run preview "--stack=$STACK"
fi
if [ ${#paths[@]} -gt 0 ]; then
    run check "${paths[@]}"
fi
if [ -z "$STACK" ] && [ ${#paths[@]} -eq 0 ]; then
    echo "::error title=nodeworthy::name a stack to preview, or files to check"
    ended=2
fi
for form in preview check; do
    if [ -s "$KEPT/$form.markdown" ]; then
        cat "$KEPT/$form.markdown" >>"$GITHUB_STEP_SUMMARY"
    fi
done
printf 'exit-code=%s\nreports=%s\n' "$ended" "$KEPT" >>"$GITHUB_OUTPUT"
