// Node.js 18 or newer: node send.mjs
const triedAgain = [408, 409, 429, 500, 502, 503, 504];

// The key is of this message alone, and the same for all tries: the message is accepted once.
async function send(key) {
  for (let attempt = 1; ; attempt++) {
    let response, answer;
    try {
      response = await fetch("{{base}}{{path}}", {
        method: "POST",
        headers: {
          "X-Api-Key": "YOUR_API_KEY",
          "Content-Type": "application/json",
          "Idempotency-Key": key,
        },
        body: JSON.stringify({{body}}),
        signal: AbortSignal.timeout(15_000),
      });
      answer = await response.text();
      if (response.ok) return JSON.parse(answer).message.sentMessageId;
    } catch (error) {
      // No response, or only a part of it.
      if (attempt === 3) throw error;
      response = undefined;
    }
    if (response && (attempt === 3 || !triedAgain.includes(response.status))) {
      throw new Error(`${response.status}: ${answer}`);
    }
    const seconds = Number(response?.headers.get("retry-after") ?? attempt);
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

console.log(await send("{{id}}"));
