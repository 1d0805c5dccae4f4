# Python 3: python3 send.py
import http.client
import json
import time
import urllib.error
import urllib.request

TRIED_AGAIN = (408, 409, 429, 500, 502, 503, 504)


# The key is of this message alone, and the same for all tries: the message is accepted once.
def send(key):
    request = urllib.request.Request(
        "{{base}}{{path}}",
        data=json.dumps({{body}}).encode(),
        headers={
            "X-Api-Key": "YOUR_API_KEY",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        },
    )
    for attempt in (1, 2, 3):
        seconds = attempt
        try:
            with urllib.request.urlopen(request, timeout=15) as response:
                return json.load(response)["message"]["sentMessageId"]
        except urllib.error.HTTPError as error:
            if attempt == 3 or error.code not in TRIED_AGAIN:
                raise SystemExit(f"{error.code}: {error.read().decode()}")
            seconds = int(error.headers.get("Retry-After", attempt))
        except (OSError, http.client.HTTPException, ValueError):  # No response, or only a part of it.
            if attempt == 3:
                raise
        time.sleep(seconds)


print(send("{{id}}"))
