// A load generator that costs little itself: requests are written and answers are read over kept TLS connections, HTTP/1.1,
// with no more parsing than it takes to find the end of an answer.
//
// Usage: load-client URL CA-FILE TOKEN-FILE. Reads one task a line (JSON) from standard input and prints one result a line.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// What to do. Objects are called `object-N`; `Body` is that of a create or an update, with %NAME% and %COUNT% to be replaced.
type task struct {
	// Parts of the requests by verb: `create`, `update`, `get`, `list`.
	Mix map[string]int `json:"mix"`
	// Path of the collection.
	Path string `json:"path"`
	Body string `json:"body"`
	// Number of the first object that a create makes.
	First int `json:"first"`
	// Gets and updates take turns on the objects 0 to Objects-1.
	Objects int `json:"objects"`
	Clients int `json:"clients"`
	// Ends after so many requests, or so many seconds, whichever is given.
	Count   int     `json:"count"`
	Seconds float64 `json:"seconds"`
	// 0: each client sends its next request when the last one is answered.
	PerSecond float64 `json:"perSecond"`
	// Watches of the collection that must see every create.
	Watchers int `json:"watchers"`
}

type result struct {
	Count      int     `json:"count"`
	Seconds    float64 `json:"seconds"`
	P50Millis  float64 `json:"p50Millis"`
	P99Millis  float64 `json:"p99Millis"`
	Bytes      int64   `json:"bytes"`
	CPUSeconds float64 `json:"cpuSeconds"`
	Created    int     `json:"created"`
	Failure    string  `json:"failure,omitempty"`
}

type server struct {
	address string
	tls     *tls.Config
	token   string
}

const eventsTimeout = time.Minute

type connection struct {
	tls    *tls.Conn
	reader *bufio.Reader
	buffer []byte
}

func (server *server) open() (*connection, error) {
	opened, err := tls.Dial("tcp", server.address, server.tls)
	if err != nil {
		return nil, err
	}
	return &connection{tls: opened, reader: bufio.NewReaderSize(opened, 64<<10)}, nil
}

func (server *server) appendHead(buffer []byte, method string, path string) []byte {
	buffer = append(buffer, method...)
	buffer = append(buffer, ' ')
	buffer = append(buffer, path...)
	buffer = append(buffer, " HTTP/1.1\r\nHost: "...)
	buffer = append(buffer, server.address...)
	buffer = append(buffer, "\r\nAuthorization: Bearer "...)
	buffer = append(buffer, server.token...)
	return append(buffer, "\r\nAccept: application/json\r\nUser-Agent: load-client\r\n"...)
}

// Reads the head of an answer. The length is -1 for a chunked body.
func (connection *connection) readHead() (status int, length int64, err error) {
	line, err := connection.reader.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("not an answer: %q", line)
	}
	status, err = strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, 0, err
	}
	for {
		line, err = connection.reader.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		if len(line) <= 2 {
			return status, length, nil
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		switch {
		case bytes.EqualFold(name, []byte("content-length")):
			length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			if err != nil {
				return 0, 0, err
			}
		case bytes.EqualFold(name, []byte("transfer-encoding")):
			length = -1
		}
	}
}

// Sends what is in the buffer and reads the answer to its end. Returns the size of the body.
func (connection *connection) exchange(wanted int) (int64, error) {
	if _, err := connection.tls.Write(connection.buffer); err != nil {
		return 0, err
	}
	status, length, err := connection.readHead()
	if err != nil {
		return 0, err
	}
	if status != wanted {
		text := make([]byte, 300)
		count, _ := connection.reader.Read(text)
		return 0, fmt.Errorf("answered %d: %s", status, text[:count])
	}
	if length >= 0 {
		discarded, err := connection.reader.Discard(int(length))
		return int64(discarded), err
	}
	size, err := io.Copy(io.Discard, httputil.NewChunkedReader(connection.reader))
	if err != nil {
		return 0, err
	}
	// The empty line after the last chunk.
	_, err = connection.reader.ReadSlice('\n')
	return size, err
}

type run struct {
	task
	server  *server
	verbs   []string
	next    atomic.Int64
	created atomic.Int64
	bytes   atomic.Int64
}

// Makes the request with this number over the connection.
func (run *run) perform(connection *connection, number int) error {
	verb := run.verbs[number%len(run.verbs)]
	wanted := 200
	switch verb {
	case "create":
		wanted = 201
		name := "object-" + strconv.Itoa(run.First+int(run.created.Add(1))-1)
		connection.buffer = run.appendWrite(connection.buffer[:0], "POST", run.Path, name, number)
	case "update":
		name := "object-" + strconv.Itoa(number%run.Objects)
		connection.buffer = run.appendWrite(connection.buffer[:0], "PUT", run.Path+"/"+name, name, number)
	case "get":
		path := run.Path + "/object-" + strconv.Itoa(number%run.Objects)
		connection.buffer = append(run.server.appendHead(connection.buffer[:0], "GET", path), "\r\n"...)
	default:
		connection.buffer = append(run.server.appendHead(connection.buffer[:0], "GET", run.Path), "\r\n"...)
	}
	size, err := connection.exchange(wanted)
	run.bytes.Add(size)
	return err
}

func (run *run) appendWrite(buffer []byte, method string, path string, name string, number int) []byte {
	body := strings.ReplaceAll(strings.ReplaceAll(run.Body, "%NAME%", name), "%COUNT%", strconv.Itoa(number))
	buffer = run.server.appendHead(buffer, method, path)
	buffer = append(buffer, "Content-Type: application/json\r\nContent-Length: "...)
	buffer = strconv.AppendInt(buffer, int64(len(body)), 10)
	buffer = append(buffer, "\r\n\r\n"...)
	return append(buffer, body...)
}

// Makes requests until the task is over. Latencies count from the time a request was due.
func (run *run) work(connection *connection, start time.Time, latencies *[]time.Duration) error {
	for {
		number := int(run.next.Add(1)) - 1
		if run.Count > 0 && number >= run.Count {
			return nil
		}
		due := time.Now()
		if run.PerSecond > 0 {
			due = start.Add(time.Duration(float64(number) / run.PerSecond * float64(time.Second)))
			time.Sleep(time.Until(due))
		}
		if run.Seconds > 0 && due.Sub(start).Seconds() >= run.Seconds {
			return nil
		}
		if err := run.perform(connection, number); err != nil {
			return err
		}
		*latencies = append(*latencies, time.Since(due))
	}
}

// Counts the events of a watch whose head has been read, until its connection is closed.
func (connection *connection) countEvents(counted *atomic.Int64) {
	stream := httputil.NewChunkedReader(connection.reader)
	part := make([]byte, 64<<10)
	for {
		count, err := stream.Read(part)
		counted.Add(int64(bytes.Count(part[:count], []byte{'\n'})))
		if err != nil {
			return
		}
	}
}

// Waits until every watch has counted `wanted` events.
func awaitEvents(counts []atomic.Int64, wanted int64) error {
	deadline := time.Now().Add(eventsTimeout)
	for index := range counts {
		for counts[index].Load() < wanted {
			if time.Now().After(deadline) {
				return fmt.Errorf("a watch has seen %d of %d events", counts[index].Load(), wanted)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

func (run *run) openWatches() ([]*connection, error) {
	watches := make([]*connection, 0, run.Watchers)
	for range run.Watchers {
		watch, err := run.server.open()
		if err != nil {
			return watches, err
		}
		watches = append(watches, watch)
		request := append(run.server.appendHead(nil, "GET", run.Path+"?watch=true&resourceVersion="+run.version()), "\r\n"...)
		if _, err := watch.tls.Write(request); err != nil {
			return watches, err
		}
		if status, _, err := watch.readHead(); err != nil || status != 200 {
			return watches, errors.Join(err, fmt.Errorf("a watch was answered %d", status))
		}
	}
	return watches, nil
}

// The collection's version now, so that a watch shows nothing of what was before.
func (run *run) version() string {
	connection, err := run.server.open()
	if err != nil {
		return ""
	}
	defer connection.tls.Close()
	request := append(run.server.appendHead(nil, "GET", run.Path+"?limit=1"), "\r\n"...)
	if _, err := connection.tls.Write(request); err != nil {
		return ""
	}
	_, length, err := connection.readHead()
	if err != nil {
		return ""
	}
	var body io.Reader = httputil.NewChunkedReader(connection.reader)
	if length >= 0 {
		body = io.LimitReader(connection.reader, length)
	}
	var list struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if json.NewDecoder(body).Decode(&list) != nil {
		return ""
	}
	return list.Metadata.ResourceVersion
}

func readOwnCPUSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func (run *run) driveAll(connections []*connection) (result, error) {
	watches, err := run.openWatches()
	defer func() {
		for _, watch := range watches {
			watch.tls.Close()
		}
	}()
	if err != nil {
		return result{}, err
	}
	cpuBefore := readOwnCPUSeconds()
	start := time.Now()
	counts := make([]atomic.Int64, len(watches))
	for index, watch := range watches {
		go watch.countEvents(&counts[index])
	}
	latencies := make([][]time.Duration, len(connections))
	failures := make([]error, len(connections))
	var working sync.WaitGroup
	for index, connection := range connections {
		working.Add(1)
		go func() {
			defer working.Done()
			failures[index] = run.work(connection, start, &latencies[index])
		}()
	}
	working.Wait()
	failure := errors.Join(failures...)
	if failure == nil {
		failure = awaitEvents(counts, run.created.Load())
	}
	all := slices.Concat(latencies...)
	outcome := result{
		Count:      len(all),
		Seconds:    time.Since(start).Seconds(),
		Bytes:      run.bytes.Load(),
		Created:    int(run.created.Load()),
		CPUSeconds: readOwnCPUSeconds() - cpuBefore,
	}
	outcome.P50Millis, outcome.P99Millis = findPercentile(all, 0.5), findPercentile(all, 0.99)
	return outcome, failure
}

func findPercentile(latencies []time.Duration, fraction float64) float64 {
	if len(latencies) == 0 {
		return 0
	}
	slices.Sort(latencies)
	place := min(len(latencies)-1, int(float64(len(latencies))*fraction))
	return float64(latencies[place].Microseconds()) / 1000
}

func readServer(words []string) (*server, error) {
	if len(words) != 3 {
		return nil, errors.New("usage: load-client URL CA-FILE TOKEN-FILE")
	}
	at, err := url.Parse(words[0])
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(words[1])
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(words[2])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("the authority cannot be read")
	}
	settings := &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}}
	return &server{address: at.Host, tls: settings, token: strings.TrimSpace(string(token))}, nil
}

func main() {
	server, err := readServer(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var connections []*connection
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		run := &run{server: server}
		outcome, err := result{}, json.Unmarshal(lines.Bytes(), &run.task)
		for verb, parts := range run.Mix {
			run.verbs = append(run.verbs, slices.Repeat([]string{verb}, parts)...)
		}
		slices.Sort(run.verbs)
		for err == nil && len(connections) < run.Clients {
			var opened *connection
			if opened, err = server.open(); err == nil {
				connections = append(connections, opened)
			}
		}
		if err == nil {
			outcome, err = run.driveAll(connections[:run.Clients])
		}
		if err != nil {
			outcome.Failure = err.Error()
		}
		if json.NewEncoder(os.Stdout).Encode(outcome) != nil {
			os.Exit(1)
		}
	}
}
