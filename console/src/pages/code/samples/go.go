// Go 1.18 or newer: go run send.go
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

var triedAgain = map[int]bool{408: true, 409: true, 429: true, 500: true, 502: true, 503: true, 504: true, 200: true} // 200: with a part of its body.

// The key is of this message alone, and the same for all tries: the message is accepted once.
func send(key string) (string, error) {
	body, err := json.Marshal({{body}})
	if err != nil {
		return "", err
	}
	client := http.Client{Timeout: 15 * time.Second}
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("POST", "{{base}}{{path}}", bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		request.Header.Set("X-Api-Key", "YOUR_API_KEY")
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
	sentMessageID, err := send("{{id}}")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sentMessageID)
}
