<?php
// Laravel 9 or newer
use Illuminate\Http\Client\RequestException;
use Illuminate\Support\Facades\Http;

// The key is of this message alone, and the same for all tries: the message is accepted once.
$key = "{{id}}";

$isTriedAgain = fn ($error) => !$error instanceof RequestException
    || in_array($error->response->status(), [408, 409, 429, 500, 502, 503, 504], true);
$response = Http::timeout(15)
    ->retry(3, 2000, $isTriedAgain, throw: false)
    ->withHeaders(["X-Api-Key" => "YOUR_API_KEY", "Idempotency-Key" => $key])
    ->post("{{base}}{{path}}", {{body}});
if ($response->failed()) {
    throw new RuntimeException($response->status() . ": " . $response->body());
}
$sentMessageId = $response["message"]["sentMessageId"];
