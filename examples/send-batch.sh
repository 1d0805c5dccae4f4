#!/bin/sh
# Sends one text to several recipients by the URL endpoint, and prints the answer. Needs curl.
#   HODHOD_URL=http://127.0.0.1:8080 HODHOD_API_KEY=… examples/send-batch.sh 10001234 'سلام' 09121234567 09351234567
set -eu

url="${HODHOD_URL:-http://127.0.0.1:8080}"
: "${HODHOD_API_KEY:?set HODHOD_API_KEY to an API key}"
: "${3:?usage: send-batch.sh SENDER TEXT RECIPIENT...}"
sender="$1"
content="$2"
shift 2

# One occurrence of recipientNumber for each recipient; the one sender and the one text serve them all. Posted as a form, so
# that the key stands in no address and thus in no proxy's log.
for recipient in "$@"; do
  set -- "$@" --data-urlencode "recipientNumber=$recipient"
  shift
done

exec curl --silent --show-error --fail-with-body --max-time 30 \
  --data-urlencode "apiKey=$HODHOD_API_KEY" \
  --data-urlencode "senderNumber=$sender" \
  --data-urlencode "content=$content" \
  "$@" \
  "$url/api/v1/messages/send/url"
