// Programs that send one message, in eight languages, each with what the language brings along.
// Made of the call, for the console's pages and for the guides. Pure. Each is run or parsed by
// test/console/samples.test.ts.

export type SampleValue = string | readonly SampleValue[] | { readonly [key: string]: SampleValue };

export interface SampleCall {
  /** Where the gateway answers, such as https://sms.example.com */
  readonly base: string;
  readonly path: "/messages/send" | "/messages/send/template";
  readonly body: SampleValue;
}

export interface Sample {
  readonly name: string;
  /** Names the language in Markdown. */
  readonly fence: string;
  readonly text: (call: SampleCall) => string;
}

export const keyPlaceholder = "YOUR_API_KEY";
export const linePlaceholder = "YOUR_LINE";
/** Of a parameter of a template. */
export const valuePlaceholder = "471129";
const recipientNumber = "09121234567";

export function textCall(base: string, line: string): SampleCall {
  return { base, path: "/messages/send", body: { senderNumber: line, recipientNumber, content: "Hodhod" } };
}

export interface SampleTemplate {
  readonly id: string;
  /** Absent: the caller chooses the line. */
  readonly sender?: string | undefined;
  /** The names of its placeholders. */
  readonly parameters: readonly string[];
}

export function templateCall(base: string, { id, sender, parameters }: SampleTemplate): SampleCall {
  return {
    base,
    path: "/messages/send/template",
    body: {
      ...(sender === undefined && { senderNumber: linePlaceholder }),
      ...{ recipientNumber, templateId: id },
      parameters: parameters.map((name) => ({ name, value: valuePlaceholder })),
    },
  };
}

/** How a language writes a value. */
interface Style {
  readonly object: readonly [open: string, close: string];
  readonly list: readonly [open: string, close: string];
  readonly key: (name: string) => string;
}

/** Nothing in the values needs another form of quotation marks than that of JSON. */
const quoted = (text: string): string => JSON.stringify(text);

/** `indent`: of the line that the value begins on. */
function literal(value: SampleValue, style: Style, indent: string, step = "    "): string {
  if (typeof value === "string") return quoted(value);
  const inner = indent + step;
  const written = (each: SampleValue): string => literal(each, style, inner, step);
  const isList = Array.isArray(value);
  const [open, close] = isList ? style.list : style.object;
  const items = isList
    ? value.map(written)
    : Object.entries(value).map(([name, each]) => style.key(name) + written(each));
  if (items.length === 0) return open + close;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

const styles = {
  node: { object: ["{", "}"], list: ["[", "]"], key: (name) => `${name}: ` },
  python: { object: ["{", "}"], list: ["[", "]"], key: (name) => `${quoted(name)}: ` },
  php: { object: ["[", "]"], list: ["[", "]"], key: (name) => `${quoted(name)} => ` },
  csharp: { object: ["new {", "}"], list: ["new object[] {", "}"], key: (name) => `${name} = ` },
  go: { object: ["map[string]any{", "}"], list: ["[]any{", "}"], key: (name) => `${quoted(name)}: ` },
} as const satisfies Readonly<Record<string, Style>>;

const curl = ({ base, path, body }: SampleCall): string => `curl ${base}${path} \\
  -H 'X-Api-Key: ${keyPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: ${path.slice(path.lastIndexOf("/") + 1)}-$(date +%s)" \\
  -d '${JSON.stringify(body)}'
`;

const node = ({ base, path, body }: SampleCall): string => `// Node.js 18 or newer: node send.mjs
const response = await fetch("${base}${path}", {
  method: "POST",
  headers: {
    "X-Api-Key": "${keyPlaceholder}",
    "Content-Type": "application/json",
    // A call that is repeated with the same key sends nothing again.
    "Idempotency-Key": crypto.randomUUID(),
  },
  body: JSON.stringify(${literal(body, styles.node, "  ", "  ")}),
});
const answer = await response.json();
if (!response.ok) throw new Error(\`\${answer.errorCode}: \${answer.errorMessage}\`);
console.log(answer.message.sentMessageId);
`;

const python = ({ base, path, body }: SampleCall): string => `# Python 3: python3 send.py
import json
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    "${base}${path}",
    data=json.dumps(${literal(body, styles.python, "    ")}).encode(),
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

const php = ({ base, path, body }: SampleCall): string => `<?php
// PHP 8: php send.php
$context = stream_context_create(["http" => [
    "method" => "POST",
    "header" => [
        "X-Api-Key: ${keyPlaceholder}",
        "Content-Type: application/json",
        // A call that is repeated with the same key sends nothing again.
        "Idempotency-Key: " . bin2hex(random_bytes(16)),
    ],
    "content" => json_encode(${literal(body, styles.php, "    ")}),
    "ignore_errors" => true,
    "timeout" => 15,
]]);
$body = file_get_contents("${base}${path}", false, $context);
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

const laravel = ({ base, path, body }: SampleCall): string => `<?php
// Laravel 9 or newer
use Illuminate\\Support\\Facades\\Http;
use Illuminate\\Support\\Str;

$response = Http::timeout(15)
    ->withHeaders([
        "X-Api-Key" => "${keyPlaceholder}",
        // A call that is repeated with the same key sends nothing again.
        "Idempotency-Key" => (string) Str::uuid(),
    ])
    ->post("${base}${path}", ${literal(body, styles.php, "    ")});
if ($response->failed()) {
    throw new RuntimeException($response["errorCode"] . ": " . $response["errorMessage"]);
}
$sentMessageId = $response["message"]["sentMessageId"];
`;

const csharp = ({ base, path, body }: SampleCall): string => `// .NET 8: Program.cs of a console project
using System.Net.Http.Json;
using System.Text.Json;

using var client = new HttpClient { BaseAddress = new Uri("${base}") };
client.DefaultRequestHeaders.Add("X-Api-Key", "${keyPlaceholder}");

using var request = new HttpRequestMessage(HttpMethod.Post, "${path}")
{
    Content = JsonContent.Create(${literal(body, styles.csharp, "    ")}),
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

const go = ({ base, path, body }: SampleCall): string => `// Go 1.18 or newer: go run send.go
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"time"
)

func main() {
	body, err := json.Marshal(${literal(body, styles.go, "\t", "\t")})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest("POST", "${base}${path}", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-Api-Key", "${keyPlaceholder}")
	request.Header.Set("Content-Type", "application/json")
	// A call that is repeated with the same key sends nothing again.
	request.Header.Set("Idempotency-Key", hex.EncodeToString(key))

	client := http.Client{Timeout: 15 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		ErrorCode    int64
		ErrorMessage string
		Message      struct{ SentMessageID string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%d: %s", answer.ErrorCode, answer.ErrorMessage)
	}
	fmt.Println(answer.Message.SentMessageID)
}
`;

const java = ({ base, path, body }: SampleCall): string => `// Java 17 or newer: java Send.java
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

public class Send {
    public static void main(String[] arguments) throws Exception {
        var body = """
            ${JSON.stringify(body)}
            """;
        var request = HttpRequest.newBuilder(URI.create("${base}${path}"))
            .timeout(Duration.ofSeconds(15))
            .header("X-Api-Key", "${keyPlaceholder}")
            .header("Content-Type", "application/json")
            // A call that is repeated with the same key sends nothing again.
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        // JSON with message.sentMessageId, or with errorCode and errorMessage.
        if (response.statusCode() != 200) {
            throw new IllegalStateException(response.statusCode() + ": " + response.body());
        }
        System.out.println(response.body());
    }
}
`;

export const codeSamples = [
  { name: "curl", fence: "sh", text: curl },
  { name: "Node.js", fence: "js", text: node },
  { name: "Python", fence: "python", text: python },
  { name: "PHP", fence: "php", text: php },
  { name: "Laravel", fence: "php", text: laravel },
  { name: "C#", fence: "csharp", text: csharp },
  { name: "Go", fence: "go", text: go },
  { name: "Java", fence: "java", text: java },
] as const satisfies readonly Sample[];
