// Prints what became of the messages of a batch.
//   HODHOD_URL=http://127.0.0.1:8080 HODHOD_API_KEY=… node examples/status.mjs 019392f0-5e7c-7b7e-9a54-3f6d1c2b4a10
const url = process.env.HODHOD_URL ?? "http://127.0.0.1:8080";
const apiKey = process.env.HODHOD_API_KEY ?? "";
const [batchId] = process.argv.slice(2);

const words = ["waiting", "sent", "delivered", "not delivered", "not sent"];

const response = await fetch(`${url}/messages/status/${encodeURIComponent(batchId ?? "")}`, {
  headers: { "x-api-key": apiKey },
});
const answer = await response.json();

if (response.status === 200) {
  for (const { recipientNumber, messageStatus, errorMessage } of answer.messages) {
    console.log(`${recipientNumber}  ${words[messageStatus]}${errorMessage === undefined ? "" : `: ${errorMessage}`}`);
  }
} else {
  console.error(`${answer.errorCode}: ${answer.errorMessage}`);
  process.exitCode = 1;
}
