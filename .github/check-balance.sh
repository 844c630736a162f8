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
# The first line is such as "### ❌ Balance: IDENTICAL, goals violated", or "### ❌ Balance: cannot be checked".
said=$(sed -n '1s/^### .* Balance: //p' "$summary")
verdict=error goals="" passed=false
if [[ $said =~ ^(IDENTICAL|EQUIVALENT|DRIFT|UNDECIDED)(, goals ([a-z]+))?$ ]]; then
  verdict=$(tr '[:upper:]' '[:lower:]' <<< "${BASH_REMATCH[1]}")
  goals=${BASH_REMATCH[3]:-}
  if [[ -n ${BALANCE_GOALS:-} && -z $goals ]]; then goals=met; fi
fi
if [[ $code == 0 ]]; then passed=true; fi
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf '%s\n' "passed=$passed" "verdict=$verdict" "goals=$goals" >> "$GITHUB_OUTPUT"
fi
exit "$code"
