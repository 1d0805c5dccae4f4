// .NET 8: Program.cs of a console project
using System.Net.Http.Json;
using System.Text.Json;

using var client = new HttpClient { BaseAddress = new Uri("{{base}}"), Timeout = TimeSpan.FromSeconds(15) };
client.DefaultRequestHeaders.Add("X-Api-Key", "YOUR_API_KEY");

// The key is of this message alone, and the same for all tries: the message is accepted once.
async Task<string?> Send(string key)
{
    for (var attempt = 1; ; attempt++)
    {
        var wait = TimeSpan.FromSeconds(attempt);
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "{{path}}")
            {
                Content = JsonContent.Create({{body}}),
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
            if (attempt == 3 || status is not (408 or 409 or 429 or 500 or 502 or 503 or 504))
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

Console.WriteLine(await Send("{{id}}"));
