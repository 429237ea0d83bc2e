// Command rule-costs prints what Kubernetes estimates rules of a schema to cost: it reads a JSON list of schemas with rules from its
// input, and writes a list of as many lists of answers.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"syscall"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type question struct {
	Schema apiextensionsv1.JSONSchemaProps `json:"schema"`
	Stored bool                            `json:"stored"`
}

type answer struct {
	Cost        string `json:"cost,omitempty"`
	Occurrences string `json:"occurrences,omitempty"`
	Message     string `json:"message,omitempty"`
	Fault       string `json:"fault,omitempty"`
	OldSelf     bool   `json:"oldSelf,omitempty"`
	Panics      bool   `json:"panics,omitempty"`
}

const mostMemory = 4 << 30

// answerQuestion compiles all rules at once, and one by one where an expression makes cel-go panic.
func answerQuestion(asked question) ([]answer, error) {
	if answers, err := answerRules(asked); err != errPanic {
		return answers, err
	}
	rules := asked.Schema.XValidations
	all := make([]answer, 0, len(rules))
	for _, rule := range rules {
		asked.Schema.XValidations = apiextensionsv1.ValidationRules{rule}
		answers, err := answerRules(asked)
		if err == errPanic {
			answers, err = []answer{{Panics: true}}, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, answers...)
	}
	return all, nil
}

var errPanic = errors.New("an expression makes cel-go panic")

func answerRules(asked question) (_ []answer, err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&asked.Schema, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	loader := cel.NewExpressionsEnvLoader()
	if asked.Stored {
		loader = cel.StoredExpressionsEnvLoader()
	}
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true)
	results, err := cel.Compile(structural, model.SchemaDeclType(structural, true), celconfig.PerCallLimit, base, loader)
	if err != nil {
		return nil, err
	}
	answers := make([]answer, 0, len(results))
	for _, result := range results {
		one := answer{
			Cost:        strconv.FormatUint(result.MaxCost, 10),
			Occurrences: strconv.FormatUint(result.MaxCardinality, 10),
			OldSelf:     result.UsesOldSelf,
		}
		if result.MessageExpression != nil {
			one.Message = strconv.FormatUint(result.MessageExpressionMaxCost, 10)
		}
		if result.Error != nil {
			one = answer{Fault: result.Error.Detail}
		}
		answers = append(answers, one)
	}
	return answers, nil
}

func run() error {
	var asked []question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		return err
	}
	all := make([][]answer, 0, len(asked))
	for _, one := range asked {
		answers, err := answerQuestion(one)
		if err != nil {
			return err
		}
		all = append(all, answers)
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

func main() {
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: mostMemory, Max: mostMemory})
	if err := run(); err != nil {
		panic(err)
	}
}
