// Java 17 or newer: java Send.java
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;

public class Send {
    static final Set<Integer> TRIED_AGAIN = Set.of(408, 409, 429, 500, 502, 503, 504);

    // The key is of this message alone, and the same for all tries: the message is accepted once.
    static String send(String key) throws IOException, InterruptedException {
        var body = """
            {{json}}
            """;
        var request = HttpRequest.newBuilder(URI.create("{{base}}{{path}}"))
            .timeout(Duration.ofSeconds(15))
            .header("X-Api-Key", "YOUR_API_KEY")
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
        System.out.println(send("{{id}}"));
    }
}
