// Flow-client makes requests in the names of several users, each at a rate of its own with random gaps between them, whether or not
// the requests before are answered, and tells how long each took.
//
// Usage: flow-client URL CA-FILE TOKEN-FILE. Reads one task a line (JSON) from standard input and prints one result a line.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type flow struct {
	User string `json:"user"`
	// Requests in a second, on average; 0 for one after the other.
	PerSecond float64 `json:"perSecond"`
	// Flows of one group are reported together.
	Group string `json:"group"`
}

type task struct {
	Path string `json:"path"`
	// %NAME% in it is replaced by a name that was not there before.
	Body  string `json:"body"`
	Flows []flow `json:"flows"`
	// Sent, and not reported.
	WarmSeconds float64 `json:"warmSeconds"`
	Seconds     float64 `json:"seconds"`
	Seed        int64   `json:"seed"`
}

type report struct {
	Answered   int     `json:"answered"`
	Refused    int     `json:"refused"`
	P50Millis  float64 `json:"p50Millis"`
	P90Millis  float64 `json:"p90Millis"`
	P99Millis  float64 `json:"p99Millis"`
	MeanMillis float64 `json:"meanMillis"`
}

type tally struct {
	mutex   sync.Mutex
	millis  []float64
	refused int
}

// More requests than that are not under way at once, so that a side that is down does not take all sockets.
const maxInFlight = 3000

type client struct {
	url     string
	token   string
	http    *http.Client
	names   atomic.Int64
	flying  atomic.Int64
	failure atomic.Pointer[string]
	prefix  string
}

func (client *client) send(task *task, flow *flow) (status int, elapsed time.Duration) {
	name := fmt.Sprintf("%s-%d", client.prefix, client.names.Add(1))
	body := strings.ReplaceAll(task.Body, "%NAME%", name)
	request, err := http.NewRequest("POST", client.url+task.Path, bytes.NewBufferString(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+client.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Impersonate-User", flow.User)
	request.Header["Impersonate-Group"] = []string{"system:authenticated", flow.Group}
	begun := time.Now()
	answer, err := client.http.Do(request)
	if err != nil {
		text := err.Error()
		client.failure.CompareAndSwap(nil, &text)
		return 0, 0
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	elapsed = time.Since(begun)
	if answer.StatusCode != 201 && answer.StatusCode != 429 {
		text := fmt.Sprintf("answered %d: %.300s", answer.StatusCode, text)
		client.failure.CompareAndSwap(nil, &text)
	}
	return answer.StatusCode, elapsed
}

func (client *client) run(task *task) map[string]*tally {
	tallies := map[string]*tally{}
	for _, flow := range task.Flows {
		if tallies[flow.Group] == nil {
			tallies[flow.Group] = &tally{}
		}
	}
	begun := time.Now()
	measured := begun.Add(time.Duration(task.WarmSeconds * float64(time.Second)))
	ended := measured.Add(time.Duration(task.Seconds * float64(time.Second)))
	var all sync.WaitGroup
	for place := range task.Flows {
		flow := &task.Flows[place]
		tally := tallies[flow.Group]
		one := func(due time.Time) {
			status, elapsed := client.send(task, flow)
			if due.Before(measured) {
				return
			}
			tally.mutex.Lock()
			defer tally.mutex.Unlock()
			if status == 201 {
				tally.millis = append(tally.millis, float64(elapsed.Microseconds())/1000)
			} else {
				tally.refused++
			}
		}
		all.Add(1)
		go func() {
			defer all.Done()
			if flow.PerSecond == 0 {
				for now := time.Now(); now.Before(ended); now = time.Now() {
					one(now)
				}
				return
			}
			random := rand.New(rand.NewSource(task.Seed + int64(place)))
			due := begun
			var requests sync.WaitGroup
			for {
				due = due.Add(time.Duration(random.ExpFloat64() / flow.PerSecond * float64(time.Second)))
				if !due.Before(ended) {
					break
				}
				time.Sleep(time.Until(due))
				if client.flying.Load() >= maxInFlight {
					continue
				}
				client.flying.Add(1)
				requests.Add(1)
				go func(due time.Time) {
					defer requests.Done()
					defer client.flying.Add(-1)
					one(due)
				}(due)
			}
			requests.Wait()
		}()
	}
	all.Wait()
	return tallies
}

func summarize(tally *tally) report {
	millis := tally.millis
	result := report{Answered: len(millis), Refused: tally.refused}
	if len(millis) == 0 {
		return result
	}
	sort.Float64s(millis)
	at := func(part float64) float64 { return millis[int(part*float64(len(millis)-1))] }
	result.P50Millis, result.P90Millis, result.P99Millis = at(0.5), at(0.9), at(0.99)
	for _, one := range millis {
		result.MeanMillis += one / float64(len(millis))
	}
	return result
}

func read(file string) []byte {
	bytes, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return bytes
}

func main() {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(read(os.Args[2]))
	client := &client{
		url:    os.Args[1],
		token:  string(read(os.Args[3])),
		prefix: fmt.Sprintf("o%d", time.Now().UnixMilli()),
		http: &http.Client{Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: pool},
			TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
			MaxIdleConnsPerHost: maxInFlight,
			IdleConnTimeout:     10 * time.Minute,
		}},
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var task task
		if err := json.Unmarshal(lines.Bytes(), &task); err != nil {
			panic(err)
		}
		client.failure.Store(nil)
		groups := map[string]report{}
		for group, tally := range client.run(&task) {
			groups[group] = summarize(tally)
		}
		result := map[string]any{"groups": groups}
		if failure := client.failure.Load(); failure != nil {
			result["failure"] = *failure
		}
		encoded, err := json.Marshal(result)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(encoded))
	}
}
