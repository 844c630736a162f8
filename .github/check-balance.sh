#!/usr/bin/env bash
# The step of action.yml that checks: prints Markdown, adds it to the job's summary, and ends with sim check's exit code.
set -euo pipefail
summary=$(mktemp)
trap 'rm -f "$summary"' EXIT

words=("$BALANCE_BASELINE" --markdown --undecided "${BALANCE_UNDECIDED:-fail}")
for file in ${BALANCE_GOALS:-}; do words+=(--goals "$file"); done
if [[ -n ${BALANCE_BUDGET:-} ]]; then words+=(--budget "$BALANCE_BUDGET"); fi
if [[ -n ${BALANCE_JUNIT:-} ]]; then words+=(--junit "$BALANCE_JUNIT"); fi

code=0
sim check "${words[@]}" > "$summary" || code=$?
cat "$summary"
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then cat "$summary" >> "$GITHUB_STEP_SUMMARY"; fi
verdict=$(sed -n 's/^### .* Balance: \([A-Z]*\)$/\1/p' "$summary" | head -n 1 | tr '[:upper:]' '[:lower:]')
if [[ -n ${GITHUB_OUTPUT:-} ]]; then echo "verdict=${verdict:-error}" >> "$GITHUB_OUTPUT"; fi
exit "$code"
