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

/** Of an order, or of an attempt to log in: a caller puts its own in its place. */
export function exampleKey({ path }: SampleCall): string {
  return path === "/messages/send" ? "order-1042" : "login-7f3a91";
}

const aboutKey = "The key is of this message alone, and the same for all tries: the message is accepted once.";
const triedAgain = "408, 409, 429, 500, 502, 503, 504";

const curl = (call: SampleCall): string => `# ${aboutKey}
ID=${exampleKey(call)}
curl --retry 2 --retry-all-errors --max-time 15 ${call.base}${call.path} \\
  -H 'X-Api-Key: ${keyPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $ID" \\
  -d '${JSON.stringify(call.body)}'
`;

const node = (call: SampleCall): string => `// Node.js 18 or newer: node send.mjs
const triedAgain = [${triedAgain}];

// ${aboutKey}
async function send(key) {
  for (let attempt = 1; ; attempt++) {
    let response, answer;
    try {
      response = await fetch("${call.base}${call.path}", {
        method: "POST",
        headers: {
          "X-Api-Key": "${keyPlaceholder}",
          "Content-Type": "application/json",
          "Idempotency-Key": key,
        },
        body: JSON.stringify(${literal(call.body, styles.node, "        ", "  ")}),
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
      throw new Error(\`\${response.status}: \${answer}\`);
    }
    const seconds = Number(response?.headers.get("retry-after") ?? attempt);
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

console.log(await send("${exampleKey(call)}"));
`;

const python = (call: SampleCall): string => `# Python 3: python3 send.py
import http.client
import json
import time
import urllib.error
import urllib.request

TRIED_AGAIN = (${triedAgain})


# ${aboutKey}
def send(key):
    request = urllib.request.Request(
        "${call.base}${call.path}",
        data=json.dumps(${literal(call.body, styles.python, "        ")}).encode(),
        headers={
            "X-Api-Key": "${keyPlaceholder}",
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


print(send("${exampleKey(call)}"))
`;

const php = (call: SampleCall): string => `<?php
// PHP 8: php send.php
// ${aboutKey}
function send(string $key): string
{
    $context = stream_context_create(["http" => [
        "method" => "POST",
        "header" => [
            "X-Api-Key: ${keyPlaceholder}",
            "Content-Type: application/json",
            "Idempotency-Key: " . $key,
        ],
        "content" => json_encode(${literal(call.body, styles.php, "        ")}),
        "ignore_errors" => true,
        "timeout" => 15,
    ]]);
    for ($attempt = 1; ; $attempt++) {
        $body = @file_get_contents("${call.base}${call.path}", false, $context);
        $head = implode("\\n", $http_response_header ?? []);
        $status = $body === false ? 0 : (int) explode(" ", $head)[1];
        $answer = json_decode((string) $body, true);
        if ($status === 200 && $answer !== null) {
            return $answer["message"]["sentMessageId"];
        }
        // 0: no response; 200: only a part of it.
        if ($attempt === 3 || !in_array($status, [0, 200, ${triedAgain}], true)) {
            throw new RuntimeException($status . ": " . ($body === false ? error_get_last()["message"] : $body));
        }
        sleep(preg_match("/^retry-after: *([0-9]+)/im", $head, $found) ? (int) $found[1] : $attempt);
    }
}

echo send("${exampleKey(call)}"), PHP_EOL;
`;

const laravel = (call: SampleCall): string => `<?php
// Laravel 9 or newer
use Illuminate\\Http\\Client\\RequestException;
use Illuminate\\Support\\Facades\\Http;

// ${aboutKey}
$key = "${exampleKey(call)}";

$isTriedAgain = fn ($error) => !$error instanceof RequestException
    || in_array($error->response->status(), [${triedAgain}], true);
$response = Http::timeout(15)
    ->retry(3, 2000, $isTriedAgain, throw: false)
    ->withHeaders(["X-Api-Key" => "${keyPlaceholder}", "Idempotency-Key" => $key])
    ->post("${call.base}${call.path}", ${literal(call.body, styles.php, "    ")});
if ($response->failed()) {
    throw new RuntimeException($response->status() . ": " . $response->body());
}
$sentMessageId = $response["message"]["sentMessageId"];
`;

const csharp = (call: SampleCall): string => `// .NET 8: Program.cs of a console project
using System.Net.Http.Json;
using System.Text.Json;

using var client = new HttpClient { BaseAddress = new Uri("${call.base}"), Timeout = TimeSpan.FromSeconds(15) };
client.DefaultRequestHeaders.Add("X-Api-Key", "${keyPlaceholder}");

// ${aboutKey}
async Task<string?> Send(string key)
{
    for (var attempt = 1; ; attempt++)
    {
        var wait = TimeSpan.FromSeconds(attempt);
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "${call.path}")
            {
                Content = JsonContent.Create(${literal(call.body, styles.csharp, "                ")}),
            };
            request.Headers.Add("Idempotency-Key", key);
            using var response = await client.SendAsync(request);
            var answer = await response.Content.ReadAsStringAsync();
            if (response.IsSuccessStatusCode)
            {
                var message = JsonDocument.Parse(answer).RootElement.GetProperty("message");
                return message.GetProperty("sentMessageId").GetString();
            }
            var status = (int)response.StatusCode;
            if (attempt == 3 || status is not (${triedAgain.replaceAll(",", " or")}))
            {
                throw new InvalidOperationException($"{status}: {answer}");
            }
            wait = response.Headers.RetryAfter?.Delta ?? wait;
        }
        // No response, or only a part of it.
        catch (Exception error) when (attempt < 3 && error is HttpRequestException or TaskCanceledException or JsonException)
        {
        }
        await Task.Delay(wait);
    }
}

Console.WriteLine(await Send("${exampleKey(call)}"));
`;

const go = (call: SampleCall): string => `// Go 1.18 or newer: go run send.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"
)

var triedAgain = map[int]bool{${triedAgain.replace(/\d+/g, "$&: true")}, 200: true} // 200: with a part of its body.

// ${aboutKey}
func send(key string) (string, error) {
	body, err := json.Marshal(${literal(call.body, styles.go, "\t", "\t")})
	if err != nil {
		return "", err
	}
	client := http.Client{Timeout: 15 * time.Second}
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("POST", "${call.base}${call.path}", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("X-Api-Key", "${keyPlaceholder}")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", key)
		seconds := attempt
		response, err := client.Do(request)
		if err != nil && attempt == 3 {
			return "", err
		}
		if err == nil {
			var answer struct {
				ErrorCode    int64
				ErrorMessage string
				Message      struct{ SentMessageID string }
			}
			defer response.Body.Close()
			if err := json.NewDecoder(response.Body).Decode(&answer); err == nil && response.StatusCode == http.StatusOK {
				return answer.Message.SentMessageID, nil
			}
			if attempt == 3 || !triedAgain[response.StatusCode] {
				return "", fmt.Errorf("%d: %d %s", response.StatusCode, answer.ErrorCode, answer.ErrorMessage)
			}
			if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
				seconds = after
			}
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func main() {
	sentMessageID, err := send("${exampleKey(call)}")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sentMessageID)
}
`;

const java = (call: SampleCall): string => `// Java 17 or newer: java Send.java
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;

public class Send {
    static final Set<Integer> TRIED_AGAIN = Set.of(${triedAgain});

    // ${aboutKey}
    static String send(String key) throws IOException, InterruptedException {
        var body = """
            ${JSON.stringify(call.body)}
            """;
        var request = HttpRequest.newBuilder(URI.create("${call.base}${call.path}"))
            .timeout(Duration.ofSeconds(15))
            .header("X-Api-Key", "${keyPlaceholder}")
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        var client = HttpClient.newHttpClient();
        for (int attempt = 1; ; attempt++) {
            long seconds = attempt;
            try {
                var response = client.send(request, HttpResponse.BodyHandlers.ofString());
                // JSON with message.sentMessageId.
                if (response.statusCode() == 200) return response.body();
                if (attempt == 3 || !TRIED_AGAIN.contains(response.statusCode())) {
                    throw new IllegalStateException(response.statusCode() + ": " + response.body());
                }
                seconds = response.headers().firstValueAsLong("retry-after").orElse(seconds);
            } catch (IOException error) {
                // No response, or only a part of it.
                if (attempt == 3) throw error;
            }
            Thread.sleep(1000 * seconds);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(send("${exampleKey(call)}"));
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
