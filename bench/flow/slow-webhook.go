// Slow-webhook converts custom objects between versions by writing the wanted apiVersion into them, after a while. The last number of a
// line on its standard input is how long, in milliseconds, from then on; it answers each line with how often it has been asked.
package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

type review struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Request    *request       `json:"request,omitempty"`
	Response   map[string]any `json:"response,omitempty"`
}

type request struct {
	UID               string           `json:"uid"`
	DesiredAPIVersion string           `json:"desiredAPIVersion"`
	Objects           []map[string]any `json:"objects"`
}

var delayMicros, asked atomic.Int64

func answer(w http.ResponseWriter, r *http.Request) {
	var asks review
	if err := json.NewDecoder(r.Body).Decode(&asks); err != nil || asks.Request == nil {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	asked.Add(1)
	time.Sleep(time.Duration(delayMicros.Load()) * time.Microsecond)
	for _, object := range asks.Request.Objects {
		object["apiVersion"] = asks.Request.DesiredAPIVersion
	}
	asks.Response = map[string]any{
		"uid":              asks.Request.UID,
		"convertedObjects": asks.Request.Objects,
		"result":           map[string]any{"status": "Success"},
	}
	asks.Request = nil
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(asks)
}

// Words: the certificate's file and the key's. Prints the URL when it listens on a free port of loopback.
func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("ready https://%s\n", listener.Addr())
	server := &http.Server{
		Handler:   http.HandlerFunc(answer),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	go func() { panic(server.ServeTLS(listener, "", "")) }()
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		millis, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			panic(err)
		}
		delayMicros.Store(int64(millis * 1000))
		fmt.Println(asked.Load())
	}
}
