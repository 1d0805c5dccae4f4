<?php
// PHP 8: php send.php
// The key is of this message alone, and the same for all tries: the message is accepted once.
function send(string $key): string
{
    $context = stream_context_create(["http" => [
        "method" => "POST",
        "header" => [
            "X-Api-Key: YOUR_API_KEY",
            "Content-Type: application/json",
            "Idempotency-Key: " . $key,
        ],
        "content" => json_encode({{body}}),
        "ignore_errors" => true,
        "timeout" => 15,
    ]]);
    for ($attempt = 1; ; $attempt++) {
        $body = @file_get_contents("{{base}}{{path}}", false, $context);
        $head = implode("\n", $http_response_header ?? []);
        $status = $body === false ? 0 : (int) explode(" ", $head)[1];
        $answer = json_decode((string) $body, true);
        if ($status === 200 && $answer !== null) {
            return $answer["message"]["sentMessageId"];
        }
        // 0: no response; 200: only a part of it.
        if ($attempt === 3 || !in_array($status, [0, 200, 408, 409, 429, 500, 502, 503, 504], true)) {
            throw new RuntimeException($status . ": " . ($body === false ? error_get_last()["message"] : $body));
        }
        sleep(preg_match("/^retry-after: *([0-9]+)/im", $head, $found) ? (int) $found[1] : $attempt);
    }
}

echo send("{{id}}"), PHP_EOL;
