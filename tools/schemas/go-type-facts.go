// Command go-type-facts prints, as JSON, what OpenAPI does not say of the types of Kubernetes' API: how each field's zero value is
// written, and the names that Go's decoding errors quote.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

type fieldFacts struct {
	// Zero is what becomes of a zero value: omit, keep or fill.
	Zero string `json:"zero"`
	Type string `json:"type"`
}

type typeFacts struct {
	Type   string                `json:"type"`
	Fields map[string]fieldFacts `json:"fields"`
}

func definitionName(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	host := strings.Split(path[0], ".")
	for left, right := 0, len(host)-1; left < right; left, right = left+1, right-1 {
		host[left], host[right] = host[right], host[left]
	}
	return strings.Join(append(append(host, path[1:]...), t.Name()), ".")
}

func isApiType(t reflect.Type) bool {
	path := t.PkgPath()
	for _, prefix := range []string{"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/apiextensions-apiserver/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func zeroOf(t reflect.Type, options string) string {
	optional := strings.Contains(options, "omitempty")
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return "keep"
	case strings.Contains(options, "omitzero"):
		return "omit"
	// A struct is never empty for omitempty.
	case t.Kind() == reflect.Struct || !optional:
		return "fill"
	default:
		return "omit"
	}
}

func collectFields(t reflect.Type, into map[string]fieldFacts, seen map[string]typeFacts) {
	for index := range t.NumField() {
		field := t.Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" && field.Anonymous {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			collectFields(inner, into, seen)
			continue
		}
		if name == "" {
			continue
		}
		quoted := field.Type
		if quoted.Kind() == reflect.Pointer {
			quoted = quoted.Elem()
		}
		into[name] = fieldFacts{Zero: zeroOf(field.Type, options), Type: quoted.String()}
		collect(field.Type, seen)
	}
}

func collect(t reflect.Type, seen map[string]typeFacts) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		collect(t.Elem(), seen)
	case reflect.Map:
		collect(t.Elem(), seen)
	case reflect.Struct:
		// A type that writes itself is a scalar on the wire.
		if !isApiType(t) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			return
		}
		name := definitionName(t)
		if _, done := seen[name]; done {
			return
		}
		facts := typeFacts{Type: t.String(), Fields: map[string]fieldFacts{}}
		seen[name] = facts
		collectFields(t, facts.Fields, seen)
	}
}

func main() {
	seen := map[string]typeFacts{}
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		panic(err)
	}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		collect(t, seen)
	}
	if err := json.NewEncoder(os.Stdout).Encode(seen); err != nil {
		panic(err)
	}
}
