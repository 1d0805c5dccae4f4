# The key is of this message alone, and the same for all tries: the message is accepted once.
ID={{id}}
curl --retry 2 --retry-all-errors --max-time 15 {{base}}{{path}} \
  -H 'X-Api-Key: YOUR_API_KEY' \
  -H 'Content-Type: application/json' \
  -H "Idempotency-Key: $ID" \
  -d '{{json}}'
