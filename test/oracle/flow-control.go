// Command flow-oracle answers, one line of JSON for each line of JSON it reads, what Kubernetes' own API priority and fairness makes of a
// configuration: how requests are classified, how seats are divided, what is said of the objects, and which objects it keeps.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	flowcontrol "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/debug"
	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/apiserver/pkg/util/shufflesharding"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	flowcontrollisters "k8s.io/client-go/listers/flowcontrol/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/ensurer"
	testingclock "k8s.io/utils/clock/testing"
)

type flowRequest struct {
	Username          string   `json:"username"`
	Groups            []string `json:"groups"`
	IsResourceRequest bool     `json:"isResourceRequest"`
	Path              string   `json:"path"`
	Verb              string   `json:"verb"`
	APIGroup          string   `json:"apiGroup"`
	Resource          string   `json:"resource"`
	Subresource       string   `json:"subresource"`
	Namespace         string   `json:"namespace"`
}

// A step sets how many seats levels want, and lets time pass.
type demandStep struct {
	Seats  map[string]float64 `json:"seats"`
	Millis int                `json:"millis"`
}

type question struct {
	// The objects that Kubernetes brings.
	Bootstrap bool `json:"bootstrap,omitempty"`
	// Keep what Kubernetes brings, where `schemas` and `levels` are stored.
	Keep       bool                                      `json:"keep,omitempty"`
	Deals      []deal                                    `json:"deals,omitempty"`
	Schemas    []*flowcontrol.FlowSchema                 `json:"schemas,omitempty"`
	Levels     []*flowcontrol.PriorityLevelConfiguration `json:"levels,omitempty"`
	TotalSeats int                                       `json:"totalSeats,omitempty"`
	Requests   []flowRequest                             `json:"requests,omitempty"`
	// After each the seats are divided anew.
	Periods [][]demandStep `json:"periods,omitempty"`
}

// A hand of queues, dealt by a hash in decimal.
type deal struct {
	Hash     string `json:"hash"`
	Queues   int    `json:"queues"`
	HandSize int    `json:"handSize"`
}

type classified struct {
	Schema        string `json:"schema"`
	Level         string `json:"level"`
	Distinguisher string `json:"distinguisher"`
	Hash          string `json:"hash,omitempty"`
	Hand          []int  `json:"hand,omitempty"`
}

type limits struct {
	Nominal  int    `json:"nominal"`
	Min      int    `json:"min"`
	Max      int    `json:"max"`
	Current  int    `json:"current"`
	MaxSeats uint64 `json:"maxSeats"`
}

type levelPeriod struct {
	HighWatermark float64 `json:"highWatermark"`
	Average       float64 `json:"average"`
	Deviation     float64 `json:"deviation"`
	Smoothed      float64 `json:"smoothed"`
	Current       int     `json:"current"`
}

type period struct {
	FairFraction float64                `json:"fairFraction"`
	Levels       map[string]levelPeriod `json:"levels"`
}

type write struct {
	Verb   string          `json:"verb"`
	Kind   string          `json:"kind"`
	Name   string          `json:"name"`
	Object json.RawMessage `json:"object,omitempty"`
}

type answer struct {
	Failure    string                                    `json:"failure,omitempty"`
	Schemas    []*flowcontrol.FlowSchema                 `json:"schemas,omitempty"`
	Levels     []*flowcontrol.PriorityLevelConfiguration `json:"levels,omitempty"`
	Mandatory  []string                                  `json:"mandatory,omitempty"`
	Writes     []write                                   `json:"writes,omitempty"`
	Hands      [][]int                                   `json:"hands,omitempty"`
	Classified []classified                              `json:"classified,omitempty"`
	Limits     map[string]limits                         `json:"limits,omitempty"`
	Periods    []period                                  `json:"periods,omitempty"`
	// By schema: status, reason and message of Dangling.
	Dangling map[string][]string `json:"dangling,omitempty"`
}

// A queue set that runs every request at once, and tells what it is configured and asked for.
type openQueues struct {
	factory *openFactory
	name    string
	demand  metrics.Gauge
	current int
	hash    uint64
}

type openFactory struct {
	lock      sync.Mutex
	sets      map[string]*openQueues
	completed int
}

type completer struct{ set *openQueues }

func (f *openFactory) BeginConstruction(c fq.QueuingConfig, _ metrics.RatioedGaugePair, _ metrics.RatioedGauge, demand metrics.Gauge) (fq.QueueSetCompleter, error) {
	return completer{&openQueues{factory: f, name: c.Name, demand: demand}}, nil
}

func (c completer) Complete(d fq.DispatchingConfig) fq.QueueSet {
	c.set.factory.lock.Lock()
	defer c.set.factory.lock.Unlock()
	c.set.current = d.ConcurrencyLimit
	c.set.factory.sets[c.set.name] = c.set
	c.set.factory.completed++
	return c.set
}

func (q *openQueues) BeginConfigChange(fq.QueuingConfig) (fq.QueueSetCompleter, error) {
	return completer{q}, nil
}
func (q *openQueues) IsIdle() bool                 { return true }
func (q *openQueues) Dump(bool) debug.QueueSetDump { return debug.QueueSetDump{} }
func (q *openQueues) StartRequest(_ context.Context, _ *fcrequest.WorkEstimate, hash uint64, _, _ string, _, _ interface{}, _ fq.QueueNoteFn) (fq.Request, bool) {
	q.hash = hash
	return openRequest{}, false
}

type openRequest struct{}

func (openRequest) Finish(execute func()) bool { execute(); return true }

func (f *openFactory) countCompleted() int {
	f.lock.Lock()
	defer f.lock.Unlock()
	return f.completed
}

// Waits until nothing was configured for a while, after at least `least` times.
func (f *openFactory) settle(least int) {
	deadline := time.Now().Add(20 * time.Second)
	for last, since := f.countCompleted(), time.Now(); ; time.Sleep(time.Millisecond) {
		now := f.countCompleted()
		if now != last {
			last, since = now, time.Now()
		}
		if now >= least && time.Since(since) > 25*time.Millisecond {
			return
		}
		if time.Now().After(deadline) {
			panic("flow control does not settle")
		}
	}
}

func readGauges(name string) map[string]float64 {
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		panic(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "apiserver_flowcontrol_"+name {
			continue
		}
		for _, metric := range family.GetMetric() {
			level := ""
			for _, label := range metric.GetLabel() {
				if label.GetName() == "priority_level" {
					level = label.GetValue()
				}
			}
			values[level] = metric.GetGauge().GetValue()
		}
	}
	return values
}

func findQueuing(level *flowcontrol.PriorityLevelConfiguration) *flowcontrol.QueuingConfiguration {
	if level.Spec.Limited == nil {
		return nil
	}
	return level.Spec.Limited.LimitResponse.Queuing
}

func (a *answer) classify(controller utilflowcontrol.Interface, factory *openFactory, asked flowRequest) {
	var found classified
	digest := utilflowcontrol.RequestDigest{
		RequestInfo: &request.RequestInfo{
			IsResourceRequest: asked.IsResourceRequest, Path: asked.Path, Verb: asked.Verb, APIGroup: asked.APIGroup,
			Resource: asked.Resource, Subresource: asked.Subresource, Namespace: asked.Namespace,
		},
		User: &user.DefaultInfo{Name: asked.Username, Groups: asked.Groups},
	}
	var level *flowcontrol.PriorityLevelConfiguration
	note := func(schema *flowcontrol.FlowSchema, pl *flowcontrol.PriorityLevelConfiguration, distinguisher string) {
		found = classified{Schema: schema.Name, Level: pl.Name, Distinguisher: distinguisher}
		level = pl
	}
	estimate := func() fcrequest.WorkEstimate { return fcrequest.WorkEstimate{InitialSeats: 1} }
	controller.Handle(context.Background(), digest, note, estimate, func(bool) {}, func() {})
	if queuing := findQueuing(level); queuing != nil && queuing.Queues > 1 {
		hash := factory.sets[level.Name].hash
		found.Hash = strconv.FormatUint(hash, 10)
		dealer, err := shufflesharding.NewDealer(int(queuing.Queues), int(queuing.HandSize))
		if err != nil {
			panic(err)
		}
		found.Hand = dealer.DealIntoHand(hash, nil)
	}
	a.Classified = append(a.Classified, found)
}

func configure(q question) answer {
	var objects []runtime.Object
	names := map[string]bool{"exempt": true, "catch-all": true}
	for _, schema := range q.Schemas {
		objects = append(objects, schema)
	}
	for _, level := range q.Levels {
		objects = append(objects, level)
		names[level.Name] = true
	}
	client := fake.NewSimpleClientset(objects...)
	found := answer{Limits: map[string]limits{}, Dangling: map[string][]string{}}
	var lock sync.Mutex
	client.PrependReactor("patch", "flowschemas", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		var schema flowcontrol.FlowSchema
		if err := json.Unmarshal(patch.GetPatch(), &schema); err != nil {
			panic(err)
		}
		lock.Lock()
		defer lock.Unlock()
		for _, c := range schema.Status.Conditions {
			found.Dangling[patch.GetName()] = []string{string(c.Status), c.Reason, c.Message}
		}
		return true, &schema, nil
	})
	clock := testingclock.NewFakePassiveClock(time.Unix(1_700_000_000, 0))
	factory := &openFactory{sets: map[string]*openQueues{}}
	informerFactory := informers.NewSharedInformerFactory(client, 0)
	controller := utilflowcontrol.NewTestable(utilflowcontrol.TestableConfig{
		Name: "oracle", Clock: clock, AsFieldManager: utilflowcontrol.ConfigConsumerAsFieldManager,
		FoundToDangling: func(isFound bool) bool { return !isFound }, InformerFactory: informerFactory,
		FlowcontrolClient: client.FlowcontrolV1(), ServerConcurrencyLimit: q.TotalSeats,
		ReqsGaugeVec: metrics.PriorityLevelConcurrencyGaugeVec, ExecSeatsGaugeVec: metrics.PriorityLevelExecutionSeatsGaugeVec,
		QueueSetFactory: factory,
	})
	stop := make(chan struct{})
	ended := make(chan struct{})
	informerFactory.Start(stop)
	go func() { defer close(ended); _ = controller.Run(stop) }()
	factory.settle(2 + len(names))
	nominal, low, high := readGauges("nominal_limit_seats"), readGauges("lower_limit_seats"), readGauges("upper_limit_seats")
	for name, set := range factory.sets {
		found.Limits[name] = limits{int(nominal[name]), int(low[name]), int(high[name]), set.current, controller.GetMaxSeats(name)}
	}
	for _, asked := range q.Requests {
		found.classify(controller, factory, asked)
	}
	for i, steps := range q.Periods {
		for _, step := range steps {
			for name, seats := range step.Seats {
				factory.sets[name].demand.Set(seats)
			}
			clock.SetTime(clock.Now().Add(time.Duration(step.Millis) * time.Millisecond))
		}
		before := factory.countCompleted()
		trigger := &flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("trigger-%d", i)}}
		trigger.Spec.PriorityLevelConfiguration.Name = "trigger"
		if _, err := client.FlowcontrolV1().FlowSchemas().Create(context.Background(), trigger, metav1.CreateOptions{}); err != nil {
			panic(err)
		}
		factory.settle(before + len(factory.sets))
		if factory.countCompleted() != before+len(factory.sets) {
			panic("seats were divided more than once")
		}
		marks, averages, deviations := readGauges("demand_seats_high_watermark"), readGauges("demand_seats_average"), readGauges("demand_seats_stdev")
		smoothed := readGauges("demand_seats_smoothed")
		one := period{readGauges("seat_fair_frac")[""], map[string]levelPeriod{}}
		for name, set := range factory.sets {
			one.Levels[name] = levelPeriod{marks[name], averages[name], deviations[name], smoothed[name], set.current}
		}
		found.Periods = append(found.Periods, one)
	}
	close(stop)
	<-ended
	informerFactory.Shutdown()
	lock.Lock()
	defer lock.Unlock()
	for name := range found.Dangling {
		if strings.HasPrefix(name, "trigger-") {
			delete(found.Dangling, name)
		}
	}
	return found
}

func keep(q question) answer {
	var objects []runtime.Object
	schemaIndex := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	levelIndex := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, schema := range q.Schemas {
		objects = append(objects, schema)
		_ = schemaIndex.Add(schema)
	}
	for _, level := range q.Levels {
		objects = append(objects, level)
		_ = levelIndex.Add(level)
	}
	client := fake.NewSimpleClientset(objects...)
	schemaOps := ensurer.NewFlowSchemaOps(client.FlowcontrolV1().FlowSchemas(), flowcontrollisters.NewFlowSchemaLister(schemaIndex))
	levelOps := ensurer.NewPriorityLevelConfigurationOps(client.FlowcontrolV1().PriorityLevelConfigurations(), flowcontrollisters.NewPriorityLevelConfigurationLister(levelIndex))
	ctx := context.Background()
	type level = *flowcontrol.PriorityLevelConfiguration
	type schema = *flowcontrol.FlowSchema
	steps := []error{
		ensurer.EnsureConfigurations(ctx, levelOps, bootstrap.SuggestedPriorityLevelConfigurations, ensurer.NewSuggestedEnsureStrategy[level]()),
		ensurer.EnsureConfigurations(ctx, schemaOps, bootstrap.SuggestedFlowSchemas, ensurer.NewSuggestedEnsureStrategy[schema]()),
		ensurer.EnsureConfigurations(ctx, levelOps, bootstrap.MandatoryPriorityLevelConfigurations, ensurer.NewMandatoryEnsureStrategy[level]()),
		ensurer.EnsureConfigurations(ctx, schemaOps, bootstrap.MandatoryFlowSchemas, ensurer.NewMandatoryEnsureStrategy[schema]()),
		ensurer.RemoveUnwantedObjects(ctx, schemaOps, append(append([]schema{}, bootstrap.MandatoryFlowSchemas...), bootstrap.SuggestedFlowSchemas...)),
		ensurer.RemoveUnwantedObjects(ctx, levelOps, append(append([]level{}, bootstrap.MandatoryPriorityLevelConfigurations...), bootstrap.SuggestedPriorityLevelConfigurations...)),
	}
	for _, err := range steps {
		if err != nil {
			panic(err)
		}
	}
	found := answer{}
	for _, action := range client.Actions() {
		one := write{Verb: action.GetVerb(), Kind: action.GetResource().Resource}
		var object runtime.Object
		switch action := action.(type) {
		case clienttesting.UpdateAction: // creations too
			object = action.GetObject()
		case clienttesting.DeleteAction:
			one.Name = action.GetName()
		}
		if object != nil {
			one.Name = object.(metav1.Object).GetName()
			one.Object, _ = json.Marshal(object)
		}
		found.Writes = append(found.Writes, one)
	}
	sort.SliceStable(found.Writes, func(i, j int) bool { return found.Writes[i].Verb < found.Writes[j].Verb })
	return found
}

func ask(q question) (found answer) {
	defer func() {
		if fault := recover(); fault != nil {
			found = answer{Failure: fmt.Sprint(fault)}
		}
	}()
	switch {
	case q.Bootstrap:
		found.Schemas = append(append(found.Schemas, bootstrap.MandatoryFlowSchemas...), bootstrap.SuggestedFlowSchemas...)
		found.Levels = append(append(found.Levels, bootstrap.MandatoryPriorityLevelConfigurations...), bootstrap.SuggestedPriorityLevelConfigurations...)
		for _, schema := range bootstrap.MandatoryFlowSchemas {
			found.Mandatory = append(found.Mandatory, schema.Name)
		}
		return found
	case q.Keep:
		return keep(q)
	case q.Deals != nil:
		for _, one := range q.Deals {
			hash, err := strconv.ParseUint(one.Hash, 10, 64)
			if err != nil {
				panic(err)
			}
			dealer, err := shufflesharding.NewDealer(one.Queues, one.HandSize)
			if err != nil {
				panic(err)
			}
			found.Hands = append(found.Hands, dealer.DealIntoHand(hash, nil))
		}
		return found
	default:
		return configure(q)
	}
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	metrics.Register()
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var q question
			if fault := json.Unmarshal(line, &q); fault != nil {
				_ = answers.Encode(answer{Failure: fault.Error()})
			} else {
				_ = answers.Encode(ask(q))
			}
		}
		if err != nil {
			return
		}
	}
}
