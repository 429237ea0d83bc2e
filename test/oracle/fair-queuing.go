// Command fair-queuing answers, one line of JSON for each line of JSON it reads, when Kubernetes' own queues let each request of a run of
// requests begin, on a clock of its own.
package main

import (
	"bufio"
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	fq "k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/eventclock"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset"
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

type question struct {
	Queues           int       `json:"queues"`
	HandSize         int       `json:"handSize"`
	QueueLengthLimit int       `json:"queueLengthLimit"`
	Seats            int       `json:"seats"`
	Requests         []arrival `json:"requests"`
}

type arrival struct {
	AtNanos       int64  `json:"atNanos"`
	Hash          uint64 `json:"hash,string"`
	InitialSeats  uint64 `json:"initialSeats"`
	FinalSeats    uint64 `json:"finalSeats"`
	LatencyNanos  int64  `json:"latencyNanos"`
	DurationNanos int64  `json:"durationNanos"`
	// How long it waits at most; 0: for ever.
	PatienceNanos int64 `json:"patienceNanos"`
}

type answer struct {
	// When each request began; -1: it never did.
	StartedNanos []int64 `json:"startedNanos"`
	// The requests in the order in which they began.
	Order []int `json:"order"`
	// The virtual starts of the queues at the end.
	NextDispatch []string `json:"nextDispatch"`
	// Seats wanted over time.
	Average   float64 `json:"average"`
	Deviation float64 `json:"deviation"`
	Max       float64 `json:"max"`
}

type event struct {
	at    time.Time
	order int
	run   eventclock.EventFunc
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// clock stands still until the next event.
type clock struct {
	now    time.Time
	order  int
	events events
}

func (c *clock) Now() time.Time                  { return c.now }
func (c *clock) Since(t time.Time) time.Duration { return c.now.Sub(t) }
func (c *clock) Sleep(time.Duration)             { panic("nobody sleeps here") }
func (c *clock) EventAfterDuration(f eventclock.EventFunc, d time.Duration) {
	c.EventAfterTime(f, c.now.Add(d))
}
func (c *clock) EventAfterTime(f eventclock.EventFunc, t time.Time) {
	c.order++
	heap.Push(&c.events, event{at: t, order: c.order, run: f})
}

type passage struct {
	started, release, done chan struct{}
	isGone, hasBegun       bool
}

type run struct {
	clock    *clock
	origin   time.Time
	asked    question
	queues   fq.QueueSet
	passages []*passage
	left     []int
	answer   answer
}

func (r *run) arrive(id int) {
	asked := r.asked.Requests[id]
	width := fcrequest.WorkEstimate{InitialSeats: asked.InitialSeats, FinalSeats: asked.FinalSeats, AdditionalLatency: time.Duration(asked.LatencyNanos)}
	ctx, cancel := context.WithCancel(context.Background())
	note := func(inQueue bool) {
		if !inQueue {
			r.left = append(r.left, id)
		}
	}
	request, _ := r.queues.StartRequest(ctx, &width, asked.Hash, "", "schema", id, nil, note)
	if request == nil {
		cancel()
		return
	}
	passage := &passage{started: make(chan struct{}), release: make(chan struct{}), done: make(chan struct{})}
	r.passages[id] = passage
	if r.asked.Queues == 0 {
		r.left = append(r.left, id)
	}
	go func() {
		request.Finish(func() {
			close(passage.started)
			<-passage.release
		})
		close(passage.done)
	}()
	if asked.PatienceNanos > 0 {
		r.clock.EventAfterDuration(func(time.Time) {
			if !passage.hasBegun {
				passage.isGone = true
				cancel()
				<-passage.done
				r.begin()
			}
		}, time.Duration(asked.PatienceNanos))
	}
}

// begin notes the requests that have got their seats, once they really have begun.
func (r *run) begin() {
	left := r.left
	r.left = nil
	for _, id := range left {
		passage := r.passages[id]
		if passage.isGone {
			continue
		}
		<-passage.started
		passage.hasBegun = true
		r.answer.StartedNanos[id] = r.clock.now.Sub(r.origin).Nanoseconds()
		r.answer.Order = append(r.answer.Order, id)
		r.clock.EventAfterDuration(func(time.Time) {
			close(passage.release)
			<-passage.done
			r.begin()
		}, time.Duration(r.asked.Requests[id].DurationNanos))
	}
}

func answerQuestion(asked question) (answer, error) {
	origin := time.Unix(1_000_000_000, 0)
	clock := &clock{now: origin}
	integrator := fq.NewNamedIntegrator(clock, "seats")
	pair := metrics.RatioedGaugeVecPhasedElementPair(metrics.PriorityLevelConcurrencyGaugeVec, 1, 1, []string{"level"})
	executing := metrics.PriorityLevelExecutionSeatsGaugeVec.NewForLabelValuesSafe(0, 1, []string{"level"})
	config := fq.QueuingConfig{Name: "level", DesiredNumQueues: asked.Queues, QueueLengthLimit: asked.QueueLengthLimit, HandSize: asked.HandSize}
	completer, err := queueset.NewQueueSetFactory(clock).BeginConstruction(config, pair, executing, integrator)
	if err != nil {
		return answer{}, err
	}
	r := &run{clock: clock, origin: origin, asked: asked, passages: make([]*passage, len(asked.Requests))}
	r.queues = completer.Complete(fq.DispatchingConfig{ConcurrencyLimit: asked.Seats, ConcurrencyDenominator: asked.Seats})
	r.answer.StartedNanos = make([]int64, len(asked.Requests))
	for id, request := range asked.Requests {
		r.answer.StartedNanos[id] = -1
		clock.EventAfterTime(func(time.Time) {
			r.arrive(id)
			r.begin()
		}, origin.Add(time.Duration(request.AtNanos)))
	}
	for len(clock.events) > 0 {
		next := heap.Pop(&clock.events).(event)
		clock.now = next.at
		next.run(next.at)
		r.begin()
	}
	for _, queue := range r.queues.Dump(false).Queues {
		r.answer.NextDispatch = append(r.answer.NextDispatch, queue.NextDispatchR)
	}
	results := integrator.GetResults()
	r.answer.Average, r.answer.Deviation, r.answer.Max = results.Average, results.Deviation, results.Max
	if math.IsNaN(r.answer.Deviation) {
		r.answer.Deviation = 0
	}
	return r.answer, nil
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		if err := json.Unmarshal(line, &asked); err != nil {
			panic(err)
		}
		answer, err := answerQuestion(asked)
		if err != nil {
			panic(err)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", text)
	}
}
