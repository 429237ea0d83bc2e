// Command width-oracle answers, one line of JSON for each line of JSON it reads, how many seats Kubernetes gives a request, and for how
// long after it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/go-logr/logr"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/klog/v2"
)

type httpRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
}

type question struct {
	Request httpRequest `json:"request"`
	// URLs of watches that are open.
	Watches []string `json:"watches"`
	// Absent: the kind is not stored here.
	Statistics *struct {
		Objects      int64 `json:"objects"`
		AverageBytes int64 `json:"averageBytes"`
	} `json:"statistics"`
	MaxSeats uint64 `json:"maxSeats"`
}

type answer struct {
	InitialSeats            uint64  `json:"initialSeats"`
	FinalSeats              uint64  `json:"finalSeats"`
	AdditionalLatencyMillis float64 `json:"additionalLatencyMillis"`
	Watches                 int     `json:"watches"`
	Failure                 string  `json:"failure,omitempty"`
}

// An etcd that tells how far its watches are, as all do that Kubernetes supports: lists then come from the cache.
type modernEtcd struct{}

func (modernEtcd) Endpoints() []string { return []string{"etcd"} }
func (modernEtcd) Status(context.Context, string) (*clientv3.StatusResponse, error) {
	return &clientv3.StatusResponse{Version: "3.6.0"}, nil
}

var resolver = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

func read(method, url string) (*http.Request, *request.RequestInfo, error) {
	made, err := http.NewRequest(method, url, nil)
	if err != nil {
		return nil, nil, err
	}
	info, err := resolver.NewRequestInfo(made)
	if err != nil {
		return nil, nil, err
	}
	return made.WithContext(request.WithRequestInfo(made.Context(), info)), info, nil
}

func reply(asked question) (result answer) {
	tracker := utilflowcontrol.NewWatchTracker()
	for _, url := range asked.Watches {
		watch, _, err := read("GET", url)
		if err != nil {
			return answer{Failure: err.Error()}
		}
		tracker.RegisterWatch(watch)
	}
	statistics := func(string) (storage.Stats, error) {
		if asked.Statistics == nil {
			return storage.Stats{}, fcrequest.ObjectCountNotFoundErr
		}
		return storage.Stats{
			ObjectCount:                     asked.Statistics.Objects,
			EstimatedAverageObjectSizeBytes: asked.Statistics.AverageBytes,
		}, nil
	}
	config := fcrequest.DefaultWorkEstimatorConfig()
	maxSeats := func(string) uint64 { return asked.MaxSeats }
	estimator := fcrequest.NewWorkEstimator(statistics, tracker.GetInterestedWatchCount, config, maxSeats)
	made, info, err := read(asked.Request.Method, asked.Request.URL)
	if err != nil {
		return answer{Failure: err.Error()}
	}
	estimate := estimator(made, "schema", "level")
	return answer{
		InitialSeats:            estimate.InitialSeats,
		FinalSeats:              estimate.FinalSeats,
		AdditionalLatencyMillis: float64(estimate.AdditionalLatency.Nanoseconds()) / 1e6,
		Watches:                 tracker.GetInterestedWatchCount(info),
	}
}

func main() {
	// What cannot be read is part of the questions.
	klog.SetLogger(logr.Discard())
	checker := etcdfeature.DefaultFeatureSupportChecker
	for !checker.Supports(storage.RequestWatchProgress) {
		checker.CheckClient(context.Background(), modernEtcd{}, storage.RequestWatchProgress)
		time.Sleep(time.Millisecond)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		encoded, err := json.Marshal(reply(asked))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(encoded))
	}
}
