#!/bin/sh
# Sends one message and prints the answer. Needs curl.
#   HODHOD_URL=http://127.0.0.1:8080 HODHOD_API_KEY=… examples/send.sh 10001234 09121234567 'سلام'
set -eu

url="${HODHOD_URL:-http://127.0.0.1:8080}"
: "${3:?usage: send.sh SENDER RECIPIENT TEXT}"
sender="$1"
recipient="$2"
content="$3"

# A key of our own makes it safe to repeat the call when its answer gets lost: the message is sent once.
key="${IDEMPOTENCY_KEY:-$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')}"

# The text goes into JSON as it is but for what JSON itself needs. The dot keeps line breaks at its end.
tab=$(printf '\t')
carriage_return=$(printf '\r')
escaped=$(printf '%s.' "$content" |
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e "s/$tab/\\\\t/g" -e "s/$carriage_return/\\\\r/g" |
  awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }')
escaped=${escaped%.}

exec curl --silent --show-error --fail-with-body --max-time 30 --retry 3 --retry-connrefused \
  --header "X-Api-Key: ${HODHOD_API_KEY:?set HODHOD_API_KEY to an API key}" \
  --header "Content-Type: application/json" \
  --header "Idempotency-Key: $key" \
  --data "{\"senderNumber\":\"$sender\",\"recipientNumber\":\"$recipient\",\"content\":\"$escaped\"}" \
  "$url/messages/send"
