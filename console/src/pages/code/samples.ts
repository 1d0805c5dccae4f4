// Programs that send one message, in five languages, each with the standard library alone. Pure.
// Each is run or parsed by test/console/samples.test.ts.

export interface SampleValues {
  /** Where the gateway answers, such as https://sms.example.com */
  readonly base: string;
  readonly line: string;
}

export interface Sample {
  readonly name: string;
  readonly text: (values: SampleValues) => string;
}

export const keyPlaceholder = "YOUR_API_KEY";
const recipient = "09121234567";

const curl = ({ base, line }: SampleValues): string => `curl ${base}/messages/send \\
  -H 'X-Api-Key: ${keyPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: order-1042' \\
  -d '{"senderNumber":"${line}","recipientNumber":"${recipient}","content":"Hodhod"}'
`;

const node = ({ base, line }: SampleValues): string => `// Node.js 18 or newer: node send.mjs
const response = await fetch("${base}/messages/send", {
  method: "POST",
  headers: {
    "X-Api-Key": "${keyPlaceholder}",
    "Content-Type": "application/json",
    // A call that is repeated with the same key sends nothing again.
    "Idempotency-Key": crypto.randomUUID(),
  },
  body: JSON.stringify({
    senderNumber: "${line}",
    recipientNumber: "${recipient}",
    content: "Hodhod",
  }),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.errorCode}: \${answer.errorMessage}\`);
console.log(answer.message.sentMessageId);
`;

const python = ({ base, line }: SampleValues): string => `# Python 3: python3 send.py
import json
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    "${base}/messages/send",
    data=json.dumps({
        "senderNumber": "${line}",
        "recipientNumber": "${recipient}",
        "content": "Hodhod",
    }).encode(),
    headers={
        "X-Api-Key": "${keyPlaceholder}",
        "Content-Type": "application/json",
        # A call that is repeated with the same key sends nothing again.
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
try:
    with urllib.request.urlopen(request, timeout=15) as response:
        print(json.load(response)["message"]["sentMessageId"])
except urllib.error.HTTPError as error:
    answer = json.load(error)
    raise SystemExit(f"{answer['errorCode']}: {answer['errorMessage']}")
`;

const php = ({ base, line }: SampleValues): string => `<?php
// PHP 8: php send.php
$context = stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        "X-Api-Key: ${keyPlaceholder}",
        "Content-Type: application/json",
        // A call that is repeated with the same key sends nothing again.
        "Idempotency-Key: " . bin2hex(random_bytes(16)),
    ],
    "content" => json_encode([
        "senderNumber" => "${line}",
        "recipientNumber" => "${recipient}",
        "content" => "Hodhod",
    ]),
    "ignore_errors" => true,
    "timeout" => 15,
]]);
$body = file_get_contents("${base}/messages/send", false, $context);
if ($body === false) {
    exit(1); // A warning of PHP has said why.
}
$answer = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
if (isset($answer["errorCode"])) {
    fwrite(STDERR, $answer["errorCode"] . ": " . $answer["errorMessage"] . PHP_EOL);
    exit(1);
}
echo $answer["message"]["sentMessageId"], PHP_EOL;
`;

const csharp = ({ base, line }: SampleValues): string => `// .NET 8: Program.cs of a console project
using System.Net.Http.Json;
using System.Text.Json;

using var client = new HttpClient { BaseAddress = new Uri("${base}") };
client.DefaultRequestHeaders.Add("X-Api-Key", "${keyPlaceholder}");

using var request = new HttpRequestMessage(HttpMethod.Post, "/messages/send")
{
    Content = JsonContent.Create(new
    {
        senderNumber = "${line}",
        recipientNumber = "${recipient}",
        content = "Hodhod",
    }),
};
// A call that is repeated with the same key sends nothing again.
request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());

using var response = await client.SendAsync(request);
var answer = await response.Content.ReadFromJsonAsync<JsonElement>();
if (!response.IsSuccessStatusCode)
{
    throw new Exception($"{answer.GetProperty("errorCode")}: {answer.GetProperty("errorMessage")}");
}
Console.WriteLine(answer.GetProperty("message").GetProperty("sentMessageId"));
`;

export const samples = [
  { name: "curl", text: curl },
  { name: "Node.js", text: node },
  { name: "Python", text: python },
  { name: "PHP", text: php },
  { name: "C#", text: csharp },
] as const satisfies readonly Sample[];
