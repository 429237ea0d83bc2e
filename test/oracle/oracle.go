// Command cel-oracle answers, one line of JSON for each line of JSON it reads, what Kubernetes' own engine makes of an expression.
// `cel-oracle conformance FOLDER` writes the conformance tests of that folder instead, one a line, each with Kubernetes' verdict.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	celexpr "cel.dev/expr"
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	conformance "cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/debug"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonutil "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

type variable struct {
	// CEL type such as `list(string)`; absent: dyn. With `schema`, the name of the schema's type, or `dyn`.
	Type   string          `json:"type,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	// With `schema`: the value is wrapped by the schema, as for the rules of a CRD.
	Wrapped bool            `json:"wrapped,omitempty"`
	JSON    json.RawMessage `json:"json,omitempty"`
	Value   json.RawMessage `json:"value,omitempty"`
}

type decision struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Error    string `json:"error"`
}

type authorizerSpec struct {
	User struct {
		Name   string   `json:"name"`
		Groups []string `json:"groups"`
	} `json:"user"`
	// By what is asked, see attributesKey.
	Decisions       map[string]decision `json:"decisions"`
	RequestResource *struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		Group     string `json:"group"`
		Version   string `json:"version"`
		Resource  string `json:"resource"`
		Sub       string `json:"subresource"`
	} `json:"requestResource"`
}

type request struct {
	ID            json.RawMessage     `json:"id"`
	Expression    string              `json:"expression"`
	Mode          string              `json:"mode"`
	Variables     map[string]variable `json:"variables"`
	Container     string              `json:"container"`
	DisableMacros bool                `json:"disableMacros"`
	DisableCheck  bool                `json:"disableCheck"`
	CheckOnly     bool                `json:"checkOnly"`
	Limit         *uint64             `json:"limit"`
	AST           bool                `json:"ast"`
	BenchMillis   int                 `json:"benchMillis"`
	Policy        *struct {
		Params     bool `json:"params"`
		Authorizer bool `json:"authorizer"`
	} `json:"policy"`
	Compositions []struct {
		Name       string `json:"name"`
		Expression string `json:"expression"`
	} `json:"compositions"`
	Authorizer   *authorizerSpec `json:"authorizer"`
	TypeChecking *struct {
		Policy  json.RawMessage `json:"policy"`
		Schemas []schemaOfKind  `json:"schemas"`
	} `json:"typeChecking"`
	Environment bool `json:"environment"`
}

type schemaOfKind struct {
	Group    string          `json:"group"`
	Version  string          `json:"version"`
	Kind     string          `json:"kind"`
	Resource string          `json:"resource"`
	Schema   json.RawMessage `json:"schema"`
}

type fault struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

type node struct {
	ID        int64    `json:"id"`
	Kind      string   `json:"kind"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	Type      string   `json:"type,omitempty"`
	Reference string   `json:"reference,omitempty"`
	Overloads []string `json:"overloads,omitempty"`
}

type response struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Failure string          `json:"failure,omitempty"`
	Faults  []fault         `json:"faults,omitempty"`
	Text    string          `json:"text,omitempty"`
	Type    string          `json:"type,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   string          `json:"error,omitempty"`
	Cost    *uint64         `json:"cost,omitempty"`
	Asked   []string        `json:"asked,omitempty"`
	Parsed  string          `json:"parsed,omitempty"`
	Checked string          `json:"checked,omitempty"`
	Nodes   []node          `json:"nodes,omitempty"`
	Nanos   float64         `json:"nanosPerEvaluation,omitempty"`
	// Ids of all overloads that the checker left to some call.
	Overloads []string `json:"overloads,omitempty"`
	// Of `typeChecking`.
	Warnings  []v1.ExpressionWarning `json:"warnings,omitempty"`
	Functions any                    `json:"functions,omitempty"`
}

func baseSet() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true)
}

func envType(mode string) environment.Type {
	if mode == "stored" {
		return environment.StoredExpressions
	}
	return environment.NewExpressions
}

var scalarTypes = map[string]*cel.Type{
	"dyn": cel.DynType, "null": cel.NullType, "null_type": cel.NullType, "bool": cel.BoolType, "int": cel.IntType, "uint": cel.UintType,
	"double": cel.DoubleType, "string": cel.StringType, "bytes": cel.BytesType, "any": cel.AnyType, "timestamp": cel.TimestampType,
	"duration": cel.DurationType, "google.protobuf.Timestamp": cel.TimestampType, "google.protobuf.Duration": cel.DurationType,
	"error": types.ErrorType, "type": types.TypeType, "google.protobuf.Any": cel.AnyType,
	"net.IP": apiservercel.IPType, "net.CIDR": apiservercel.CIDRType, "kubernetes.URL": apiservercel.URLType,
	"kubernetes.Quantity": apiservercel.QuantityType, "kubernetes.Semver": apiservercel.SemverType, "kubernetes.NamedFormat": apiservercel.FormatType,
	"kubernetes.authorization.Authorizer": library.AuthorizerType, "kubernetes.authorization.ResourceCheck": library.ResourceCheckType,
}

func parseType(text string) (*cel.Type, string, error) {
	end := strings.IndexAny(text, "(),")
	if end < 0 {
		end = len(text)
	}
	name, rest := strings.TrimSpace(text[:end]), text[end:]
	var parameters []*cel.Type
	if strings.HasPrefix(rest, "(") {
		rest = rest[1:]
		for {
			parameter, after, err := parseType(strings.TrimSpace(rest))
			if err != nil {
				return nil, "", err
			}
			parameters = append(parameters, parameter)
			rest = strings.TrimSpace(after)
			if strings.HasPrefix(rest, ",") {
				rest = rest[1:]
				continue
			}
			if !strings.HasPrefix(rest, ")") {
				return nil, "", fmt.Errorf("type %q is not closed", text)
			}
			rest = rest[1:]
			break
		}
	}
	switch {
	case name == "list" && len(parameters) == 1:
		return cel.ListType(parameters[0]), rest, nil
	case name == "map" && len(parameters) == 2:
		return cel.MapType(parameters[0], parameters[1]), rest, nil
	case name == "optional_type" && len(parameters) == 1:
		return cel.OptionalType(parameters[0]), rest, nil
	case name == "wrapper" && len(parameters) == 1:
		return cel.NullableType(parameters[0]), rest, nil
	case name == "type" && len(parameters) == 1:
		return types.NewTypeTypeWithParam(parameters[0]), rest, nil
	}
	if known, ok := scalarTypes[name]; ok && parameters == nil {
		return known, rest, nil
	}
	if parameters == nil {
		return cel.ObjectType(name), rest, nil
	}
	return cel.OpaqueType(name, parameters...), rest, nil
}

func readSchema(text json.RawMessage) (*openapi.Schema, error) {
	parsed := &spec.Schema{}
	if err := json.Unmarshal(text, parsed); err != nil {
		return nil, err
	}
	return &openapi.Schema{Schema: parsed}, nil
}

var generatedName = regexp.MustCompile(`[^A-Za-z0-9_]`)

func declareVariables(variables map[string]variable) ([]cel.EnvOption, []*apiservercel.DeclType, error) {
	var options []cel.EnvOption
	var declTypes []*apiservercel.DeclType
	for name, declared := range variables {
		variableType := cel.DynType
		if declared.Schema != nil && declared.Type != "dyn" {
			read, err := readSchema(declared.Schema)
			if err != nil {
				return nil, nil, err
			}
			declType := common.SchemaDeclType(read, true)
			if declType == nil {
				return nil, nil, fmt.Errorf("the schema of %s declares no type", name)
			}
			typeName := declared.Type
			if typeName == "" {
				typeName = "Schema_" + generatedName.ReplaceAllString(name, "_")
			}
			declType = declType.MaybeAssignTypeName(typeName)
			variableType = declType.CelType()
			declTypes = append(declTypes, declType)
		} else if declared.Type != "" {
			parsed, rest, err := parseType(declared.Type)
			if err != nil || rest != "" {
				return nil, nil, fmt.Errorf("no type: %q %v", declared.Type, err)
			}
			variableType = parsed
		}
		options = append(options, cel.Variable(name, variableType))
	}
	return options, declTypes, nil
}

var environments = map[string]*cel.Env{}

func buildEnvironment(asked *request) (*cel.Env, error) {
	declared := map[string][2]string{}
	for name, one := range asked.Variables {
		declared[name] = [2]string{one.Type, string(one.Schema)}
	}
	keyBytes, _ := json.Marshal([]any{asked.Mode, declared, asked.Container, asked.DisableMacros, asked.Authorizer != nil})
	key := string(keyBytes)
	if found, ok := environments[key]; ok {
		return found, nil
	}
	options, declTypes, err := declareVariables(asked.Variables)
	if err != nil {
		return nil, err
	}
	if asked.Authorizer != nil {
		options = append(options, cel.Variable("authorizer", library.AuthorizerType), cel.Variable("authorizer.requestResource", library.ResourceCheckType))
	}
	if asked.Container != "" {
		options = append(options, cel.Container(asked.Container))
	}
	if asked.DisableMacros {
		options = append(options, cel.ClearMacros())
	}
	set, err := baseSet().Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options, DeclTypes: declTypes})
	if err != nil {
		return nil, err
	}
	built, err := set.Env(envType(asked.Mode))
	if err != nil {
		return nil, err
	}
	if len(environments) > 500 {
		environments = map[string]*cel.Env{}
	}
	environments[key] = built
	return built, nil
}

func encodeDouble(value float64) any {
	switch {
	case math.IsNaN(value):
		return "NaN"
	case math.IsInf(value, 1):
		return "Infinity"
	case math.IsInf(value, -1):
		return "-Infinity"
	case value == 0 && math.Signbit(value):
		return "-0"
	}
	return value
}

func encode(value ref.Val) any {
	one := func(kind string, content any) any { return map[string]any{kind: content} }
	switch typed := value.(type) {
	case types.Null:
		return one("null", nil)
	case types.Bool:
		return one("bool", bool(typed))
	case types.Int:
		return one("int", strconv.FormatInt(int64(typed), 10))
	case types.Uint:
		return one("uint", strconv.FormatUint(uint64(typed), 10))
	case types.Double:
		return one("double", encodeDouble(float64(typed)))
	case types.String:
		return one("string", string(typed))
	case types.Bytes:
		return one("bytes", base64.StdEncoding.EncodeToString([]byte(typed)))
	case types.Timestamp:
		return one("timestamp", typed.Time.UTC().Format(time.RFC3339Nano))
	case types.Duration:
		return one("duration", strconv.FormatInt(int64(typed.Duration), 10))
	case *types.Type:
		return one("type", typed.TypeName())
	case *types.Optional:
		if !typed.HasValue() {
			return one("optional", nil)
		}
		return one("optional", encode(typed.GetValue()))
	case *types.Err:
		return one("error", typed.Error())
	case apiservercel.Quantity:
		return one("opaque", []string{"kubernetes.Quantity", typed.Quantity.String()})
	case apiservercel.URL:
		return one("opaque", []string{"kubernetes.URL", typed.URL.String()})
	case apiservercel.IP:
		return one("opaque", []string{"net.IP", typed.Addr.String()})
	case apiservercel.CIDR:
		return one("opaque", []string{"net.CIDR", typed.Prefix.String()})
	case apiservercel.Semver:
		return one("opaque", []string{"kubernetes.Semver", typed.Version.String()})
	case *apiservercel.Format:
		return one("opaque", []string{"kubernetes.NamedFormat", typed.Name})
	case traits.Lister:
		items := []any{}
		size := int64(typed.Size().(types.Int))
		for i := int64(0); i < size; i++ {
			items = append(items, encode(typed.Get(types.Int(i))))
		}
		return one("list", items)
	case traits.Mapper:
		entries := [][2]any{}
		for it := typed.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, [2]any{encode(key), encode(typed.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool {
			a, _ := json.Marshal(entries[i][0])
			b, _ := json.Marshal(entries[j][0])
			return bytes.Compare(a, b) < 0
		})
		return one("map", entries)
	}
	if message, ok := value.Value().(proto.Message); ok {
		text, err := protojson.MarshalOptions{}.Marshal(message)
		if err != nil {
			text = []byte(strconv.Quote(err.Error()))
		}
		var content any
		_ = json.Unmarshal(text, &content)
		return one("object", []any{value.Type().TypeName(), content})
	}
	return one("opaque", []string{value.Type().TypeName(), ""})
}

func decode(text json.RawMessage) (ref.Val, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	for kind, content := range fields {
		switch kind {
		case "null":
			return types.NullValue, nil
		case "bool":
			return types.Bool(string(content) == "true"), nil
		case "double":
			var raw any
			if err := json.Unmarshal(content, &raw); err != nil {
				return nil, err
			}
			switch typed := raw.(type) {
			case float64:
				return types.Double(typed), nil
			case string:
				parsed, err := strconv.ParseFloat(typed, 64)
				return types.Double(parsed), err
			}
		case "list":
			var items []json.RawMessage
			if err := json.Unmarshal(content, &items); err != nil {
				return nil, err
			}
			values := make([]ref.Val, len(items))
			for i, item := range items {
				value, err := decode(item)
				if err != nil {
					return nil, err
				}
				values[i] = value
			}
			return types.DefaultTypeAdapter.NativeToValue(values), nil
		case "map":
			var entries [][2]json.RawMessage
			if err := json.Unmarshal(content, &entries); err != nil {
				return nil, err
			}
			values := map[ref.Val]ref.Val{}
			for _, entry := range entries {
				key, err := decode(entry[0])
				if err != nil {
					return nil, err
				}
				value, err := decode(entry[1])
				if err != nil {
					return nil, err
				}
				values[key] = value
			}
			return types.DefaultTypeAdapter.NativeToValue(values), nil
		case "optional":
			if string(content) == "null" {
				return types.OptionalNone, nil
			}
			value, err := decode(content)
			if err != nil {
				return nil, err
			}
			return types.OptionalOf(value), nil
		case "int", "uint", "string", "bytes", "timestamp", "duration", "type":
			var word string
			if err := json.Unmarshal(content, &word); err != nil {
				return nil, err
			}
			return decodeWord(kind, word)
		case "opaque":
			var words [2]string
			if err := json.Unmarshal(content, &words); err != nil {
				return nil, err
			}
			if words[0] == "kubernetes.Quantity" {
				quantity, err := resource.ParseQuantity(words[1])
				return apiservercel.Quantity{Quantity: &quantity}, err
			}
		}
	}
	return nil, fmt.Errorf("no value: %s", text)
}

func decodeWord(kind string, word string) (ref.Val, error) {
	switch kind {
	case "int":
		value, err := strconv.ParseInt(word, 10, 64)
		return types.Int(value), err
	case "uint":
		value, err := strconv.ParseUint(word, 10, 64)
		return types.Uint(value), err
	case "bytes":
		value, err := base64.StdEncoding.DecodeString(word)
		return types.Bytes(value), err
	case "timestamp":
		value, err := time.Parse(time.RFC3339Nano, word)
		return types.Timestamp{Time: value}, err
	case "duration":
		value, err := strconv.ParseInt(word, 10, 64)
		return types.Duration{Duration: time.Duration(value)}, err
	case "type":
		parsed, _, err := parseType(word)
		return parsed, err
	}
	return types.String(word), nil
}

func bindVariables(variables map[string]variable) (map[string]any, error) {
	bound := map[string]any{}
	for name, declared := range variables {
		switch {
		case declared.JSON != nil:
			var native any
			if err := jsonutil.Unmarshal(declared.JSON, &native); err != nil {
				return nil, err
			}
			if declared.Wrapped {
				read, err := readSchema(declared.Schema)
				if err != nil {
					return nil, err
				}
				bound[name] = common.UnstructuredToVal(native, read)
			} else {
				bound[name] = native
			}
		case declared.Value != nil:
			value, err := decode(declared.Value)
			if err != nil {
				return nil, err
			}
			bound[name] = value
		}
	}
	return bound, nil
}

type scriptedAuthorizer struct {
	decisions map[string]decision
	asked     []string
}

// attributesKey is `path PATH VERB`, or `VERB GROUP/RESOURCE/SUBRESOURCE NAMESPACE/NAME USER` with ` fields=…` and ` labels=…` where given.
func attributesKey(a authorizer.Attributes) string {
	if !a.IsResourceRequest() {
		return fmt.Sprintf("path %s %s %s", a.GetPath(), a.GetVerb(), a.GetUser().GetName())
	}
	key := fmt.Sprintf("%s %s/%s/%s %s/%s %s", a.GetVerb(), a.GetAPIGroup(), a.GetResource(), a.GetSubresource(), a.GetNamespace(), a.GetName(), a.GetUser().GetName())
	if requirements, err := a.GetFieldSelector(); err != nil {
		key += " fields!" + err.Error()
	} else if len(requirements) > 0 {
		key += fmt.Sprintf(" fields=%v", requirements)
	}
	if requirements, err := a.GetLabelSelector(); err != nil {
		key += " labels!" + err.Error()
	} else if len(requirements) > 0 {
		key += fmt.Sprintf(" labels=%v", requirements)
	}
	return key
}

func (s *scriptedAuthorizer) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	key := attributesKey(a)
	s.asked = append(s.asked, key)
	found := s.decisions[key]
	var err error
	if found.Error != "" {
		err = errors.New(found.Error)
	}
	switch found.Decision {
	case "allow":
		return authorizer.DecisionAllow, found.Reason, err
	case "deny":
		return authorizer.DecisionDeny, found.Reason, err
	}
	return authorizer.DecisionNoOpinion, found.Reason, err
}

type requestResource struct{ name, namespace, group, version, resource, subresource string }

func (r requestResource) GetName() string      { return r.name }
func (r requestResource) GetNamespace() string { return r.namespace }
func (r requestResource) GetResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.group, Version: r.version, Resource: r.resource}
}
func (r requestResource) GetSubresource() string { return r.subresource }

func bindAuthorizer(asked *authorizerSpec, bound map[string]any) *scriptedAuthorizer {
	scripted := &scriptedAuthorizer{decisions: asked.Decisions}
	who := &user.DefaultInfo{Name: asked.User.Name, Groups: asked.User.Groups}
	bound["authorizer"] = library.NewAuthorizerVal(who, scripted)
	what := requestResource{}
	if r := asked.RequestResource; r != nil {
		what = requestResource{r.Name, r.Namespace, r.Group, r.Version, r.Resource, r.Sub}
	}
	bound["authorizer.requestResource"] = library.NewResourceAuthorizerVal(who, scripted, what)
	return scripted
}

func reportIssues(answer *response, issues *cel.Issues) {
	for _, one := range issues.Errors() {
		answer.Faults = append(answer.Faults, fault{one.Location.Line(), one.Location.Column(), one.Message})
	}
	answer.Text = issues.String()
}

type typeAdorner struct{ checked *ast.AST }

func (a typeAdorner) GetMetadata(element any) string {
	var id int64
	switch typed := element.(type) {
	case ast.Expr:
		id = typed.ID()
	case ast.EntryExpr:
		id = typed.ID()
	}
	text := fmt.Sprintf("^#%d", id)
	if a.checked != nil && a.checked.IsChecked() {
		if found, ok := a.checked.TypeMap()[id]; ok {
			text += ":" + found.String()
		}
		if found, ok := a.checked.ReferenceMap()[id]; ok {
			text += "~" + found.Name + strings.Join(found.OverloadIDs, "|")
		}
	}
	return text + "#"
}

var kindNames = map[ast.ExprKind]string{ast.CallKind: "call", ast.ComprehensionKind: "comprehension", ast.IdentKind: "identifier", ast.ListKind: "list",
	ast.LiteralKind: "literal", ast.MapKind: "map", ast.SelectKind: "select", ast.StructKind: "message", ast.UnspecifiedExprKind: "unspecified"}

type nodeVisitor struct{ add func(id int64, kind string) }

func (v nodeVisitor) VisitExpr(e ast.Expr)           { v.add(e.ID(), kindNames[e.Kind()]) }
func (v nodeVisitor) VisitEntryExpr(e ast.EntryExpr) { v.add(e.ID(), "entry") }

func describeNodes(native *ast.AST) []node {
	var nodes []node
	add := func(id int64, kind string) {
		at := native.SourceInfo().GetStartLocation(id)
		one := node{ID: id, Kind: kind, Line: at.Line(), Column: at.Column()}
		if native.IsChecked() {
			if found, ok := native.TypeMap()[id]; ok {
				one.Type = found.String()
			}
			if found, ok := native.ReferenceMap()[id]; ok {
				one.Reference = found.Name
				one.Overloads = found.OverloadIDs
			}
		}
		nodes = append(nodes, one)
	}
	ast.PreOrderVisit(native.Expr(), nodeVisitor{add})
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].ID < nodes[j].ID })
	return nodes
}

func listOverloads(native *ast.AST) []string {
	seen := map[string]bool{}
	for _, reference := range native.ReferenceMap() {
		for _, id := range reference.OverloadIDs {
			seen[id] = true
		}
	}
	ids := make([]string, 0, len(seen))
	for id := range seen {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}

type activation struct {
	bound map[string]any
	all   bool
}

func (a *activation) ResolveName(name string) (any, bool) {
	value, ok := a.bound[name]
	return value, ok || a.all
}
func (a *activation) Parent() cel.Activation { return nil }

func compile(env *cel.Env, asked *request, answer *response) *cel.Ast {
	parsed, issues := env.Parse(asked.Expression)
	if asked.AST && parsed != nil && (issues == nil || issues.Err() == nil) {
		answer.Parsed = debug.ToAdornedDebugString(parsed.NativeRep().Expr(), typeAdorner{nil})
		answer.Nodes = describeNodes(parsed.NativeRep())
	}
	if issues.Err() != nil {
		reportIssues(answer, issues)
		return nil
	}
	if asked.DisableCheck {
		return parsed
	}
	compiled, issues := env.Compile(asked.Expression)
	if issues.Err() != nil {
		reportIssues(answer, issues)
		return nil
	}
	answer.Type = compiled.OutputType().String()
	answer.Overloads = listOverloads(compiled.NativeRep())
	if asked.AST {
		answer.Checked = debug.ToAdornedDebugString(compiled.NativeRep().Expr(), typeAdorner{compiled.NativeRep()})
		answer.Nodes = describeNodes(compiled.NativeRep())
	}
	return compiled
}

func evaluate(program cel.Program, bound *activation, asked *request, ctx func() (context.Context, func() uint64), answer *response) ref.Val {
	inner, extraCost := ctx()
	value, details, err := program.ContextEval(inner, bound)
	if details != nil && details.ActualCost() != nil {
		cost := *details.ActualCost() + extraCost()
		answer.Cost = &cost
	}
	if err != nil {
		answer.Error = err.Error()
	} else {
		answer.Result = encode(value)
	}
	if asked.BenchMillis > 0 {
		deadline := time.Now().Add(time.Duration(asked.BenchMillis) * time.Millisecond)
		began := time.Now()
		count := 0
		for time.Now().Before(deadline) {
			for i := 0; i < 16; i++ {
				fresh, _ := ctx()
				_, _, _ = program.ContextEval(fresh, bound)
			}
			count += 16
		}
		answer.Nanos = float64(time.Since(began).Nanoseconds()) / float64(count)
	}
	if err != nil {
		return nil
	}
	return value
}

func programOptions(asked *request) []cel.ProgramOption {
	options := []cel.ProgramOption{cel.InterruptCheckFrequency(celconfig.CheckFrequency)}
	if asked.Limit != nil {
		options = append(options, cel.CostLimit(*asked.Limit))
	}
	return options
}

func background() (context.Context, func() uint64) {
	return context.Background(), func() uint64 { return 0 }
}

func answerGeneral(asked *request, answer *response) error {
	env, err := buildEnvironment(asked)
	if err != nil {
		return err
	}
	compiled := compile(env, asked, answer)
	if compiled == nil || asked.CheckOnly {
		return nil
	}
	program, err := env.Program(compiled, programOptions(asked)...)
	if err != nil {
		answer.Error = "program instantiation failed: " + err.Error()
		return nil
	}
	bound, err := bindVariables(asked.Variables)
	if err != nil {
		return err
	}
	var scripted *scriptedAuthorizer
	if asked.Authorizer != nil {
		scripted = bindAuthorizer(asked.Authorizer, bound)
	}
	evaluate(program, &activation{bound, false}, asked, background, answer)
	if scripted != nil && asked.BenchMillis == 0 {
		answer.Asked = scripted.asked
	}
	return nil
}

type anyExpression struct{ name, text string }

func (e anyExpression) GetName() string          { return e.name }
func (e anyExpression) GetExpression() string    { return e.text }
func (e anyExpression) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType, cel.DynType} }

var simplePolicyCompiler *plugincel.CompositedCompiler

func policyCompiler(asked *request) (*plugincel.CompositedCompiler, error) {
	if len(asked.Compositions) == 0 && simplePolicyCompiler != nil {
		return simplePolicyCompiler, nil
	}
	compiler, err := plugincel.NewCompositedCompiler(baseSet())
	if err == nil && len(asked.Compositions) == 0 {
		simplePolicyCompiler = compiler
	}
	return compiler, err
}

func answerPolicy(asked *request, answer *response) error {
	compiler, err := policyCompiler(asked)
	if err != nil {
		return err
	}
	declarations := plugincel.OptionalVariableDeclarations{HasParams: asked.Policy.Params, HasAuthorizer: asked.Policy.Authorizer, StrictCost: true}
	mode := envType(asked.Mode)
	for _, composition := range asked.Compositions {
		result := compiler.CompileAndStoreVariable(anyExpression{composition.Name, composition.Expression}, declarations, mode)
		if result.Error != nil {
			answer.Failure = fmt.Sprintf("variable %s: %s", composition.Name, result.Error.Detail)
			return nil
		}
	}
	compiled := compiler.CompileCELExpression(anyExpression{"", asked.Expression}, declarations, mode)
	if compiled.Error != nil {
		answer.Text = compiled.Error.Detail
		var errorsOf *apiservercel.CompilationError
		if errors.As(compiled.Error.Cause, &errorsOf) {
			reportIssues(answer, errorsOf.Issues)
		}
		return nil
	}
	answer.Type = compiled.OutputType.String()
	if asked.CheckOnly {
		return nil
	}
	bound, err := bindVariables(asked.Variables)
	if err != nil {
		return err
	}
	var scripted *scriptedAuthorizer
	if asked.Authorizer != nil {
		scripted = bindAuthorizer(asked.Authorizer, bound)
	}
	values := &activation{bound, true}
	evaluate(compiled.Program, values, asked, func() (context.Context, func() uint64) {
		inner := compiler.CompositionEnv.CreateContext(context.Background())
		bound["variables"] = inner.Variables(values)
		return inner, func() uint64 { return uint64(inner.GetAndResetCost()) }
	}, answer)
	if scripted != nil && asked.BenchMillis == 0 {
		answer.Asked = scripted.asked
	}
	return nil
}

type schemas map[schema.GroupVersionKind]*spec.Schema

func (s schemas) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	if found, ok := s[gvk]; ok {
		return found, nil
	}
	return nil, resolver.ErrSchemaNotFound
}

func answerTypeChecking(asked *request, answer *response) error {
	policy := &v1.ValidatingAdmissionPolicy{}
	if err := json.Unmarshal(asked.TypeChecking.Policy, policy); err != nil {
		return err
	}
	known := schemas{}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, one := range asked.TypeChecking.Schemas {
		gvk := schema.GroupVersionKind{Group: one.Group, Version: one.Version, Kind: one.Kind}
		read, err := readSchema(one.Schema)
		if err != nil {
			return err
		}
		known[gvk] = read.Schema
		if one.Resource != "" {
			plural := gvk.GroupVersion().WithResource(one.Resource)
			mapper.AddSpecific(gvk, plural, plural, meta.RESTScopeNamespace)
		} else {
			mapper.Add(gvk, meta.RESTScopeNamespace)
		}
	}
	checker := &validating.TypeChecker{SchemaResolver: known, RestMapper: mapper}
	answer.Warnings = checker.Check(policy)
	return nil
}

type overload struct {
	ID         string   `json:"id"`
	Member     bool     `json:"member,omitempty"`
	Parameters []string `json:"parameters"`
	Result     string   `json:"result"`
}

func describeType(declared *celexpr.Type) string {
	converted, err := types.ProtoAsType(declared)
	if err != nil {
		return "dyn"
	}
	return converted.String()
}

func answerEnvironment(asked *request, answer *response) error {
	env, err := buildEnvironment(asked)
	if err != nil {
		return err
	}
	functions := map[string][]overload{}
	for name, function := range env.Functions() {
		for _, one := range function.OverloadDecls() {
			parameters := []string{}
			for _, parameter := range one.ArgTypes() {
				parameters = append(parameters, parameter.String())
			}
			functions[name] = append(functions[name], overload{one.ID(), one.IsMemberFunction(), parameters, one.ResultType().String()})
		}
	}
	answer.Functions = functions
	return nil
}

func answerRequest(line []byte) (answer response) {
	asked := &request{}
	defer func() {
		if failure := recover(); failure != nil {
			answer.Failure = fmt.Sprintf("panic: %v", failure)
		}
	}()
	if err := json.Unmarshal(line, asked); err != nil {
		return response{Failure: err.Error()}
	}
	answer.ID = asked.ID
	var err error
	switch {
	case asked.TypeChecking != nil:
		err = answerTypeChecking(asked, &answer)
	case asked.Environment:
		err = answerEnvironment(asked, &answer)
	case asked.Policy != nil:
		err = answerPolicy(asked, &answer)
	default:
		err = answerGeneral(asked, &answer)
	}
	if err != nil {
		answer.Failure = err.Error()
	}
	return answer
}

func newEncoder(to *bufio.Writer) *json.Encoder {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	return encoder
}

type conformanceTest struct {
	File          string                `json:"file"`
	Section       string                `json:"section"`
	Name          string                `json:"name"`
	Expression    string                `json:"expression"`
	Container     string                `json:"container,omitempty"`
	DisableMacros bool                  `json:"disableMacros,omitempty"`
	CheckOnly     bool                  `json:"checkOnly,omitempty"`
	Variables     map[string]variable   `json:"variables,omitempty"`
	Functions     map[string][]overload `json:"functions,omitempty"`
	// What the test declares or expects and cannot be said here, with the reason.
	Undeclared []string `json:"undeclared,omitempty"`
	Expected   any      `json:"expected,omitempty"`
	// cel-spec's word for an error, such as `no_such_overload`; empty when a value is expected.
	ExpectsError bool     `json:"expectsError,omitempty"`
	ExpectedType string   `json:"expectedType,omitempty"`
	Kubernetes   response `json:"kubernetes"`
	Passes       bool     `json:"passes"`
}

var zeroSign = regexp.MustCompile(`"-0"`)

func sameValue(a, b any) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return bytes.Equal(zeroSign.ReplaceAll(left, []byte("0")), zeroSign.ReplaceAll(right, []byte("0")))
}

func runConformanceTest(test *conformance.SimpleTest, mode string) conformanceTest {
	out := conformanceTest{Name: test.GetName(), Expression: test.GetExpr(), Container: test.GetContainer(), DisableMacros: test.GetDisableMacros(),
		CheckOnly: test.GetCheckOnly(), Variables: map[string]variable{}}
	// Kubernetes evaluates nothing unchecked, so the check is not disabled here either.
	asked := &request{Expression: test.GetExpr(), Mode: mode, Container: test.GetContainer(), DisableMacros: test.GetDisableMacros(),
		CheckOnly: test.GetCheckOnly()}
	var options []cel.EnvOption
	for _, declared := range test.GetTypeEnv() {
		option, err := cel.ProtoAsDeclaration(declared)
		if err != nil {
			out.Undeclared = append(out.Undeclared, declared.GetName()+": "+err.Error())
			continue
		}
		options = append(options, option)
		if ident := declared.GetIdent(); ident != nil {
			converted, err := types.ProtoAsType(ident.GetType())
			if err == nil {
				out.Variables[declared.GetName()] = variable{Type: converted.String()}
				continue
			}
		}
		if function := declared.GetFunction(); function != nil {
			if out.Functions == nil {
				out.Functions = map[string][]overload{}
			}
			for _, one := range function.GetOverloads() {
				said := overload{ID: one.GetOverloadId(), Member: one.GetIsInstanceFunction(), Parameters: []string{}, Result: describeType(one.GetResultType())}
				for _, parameter := range one.GetParams() {
					said.Parameters = append(said.Parameters, describeType(parameter))
				}
				out.Functions[declared.GetName()] = append(out.Functions[declared.GetName()], said)
			}
			continue
		}
		out.Undeclared = append(out.Undeclared, declared.GetName())
	}
	if asked.Container != "" {
		options = append(options, cel.Container(asked.Container))
	}
	if asked.DisableMacros {
		options = append(options, cel.ClearMacros())
	}
	set, err := baseSet().Extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
	if err != nil {
		out.Kubernetes.Failure = err.Error()
		return out
	}
	env, _ := set.Env(envType(mode))
	bound := map[string]any{}
	for name, value := range test.GetBindings() {
		converted, err := cel.ProtoAsValue(env.CELTypeAdapter(), value.GetValue())
		if err != nil {
			out.Undeclared = append(out.Undeclared, name+": "+err.Error())
			continue
		}
		bound[name] = converted
		known, isDeclared := out.Variables[name]
		if types.IsError(converted) {
			out.Undeclared = append(out.Undeclared, fmt.Sprintf("%s: %v", name, converted))
			continue
		}
		if !isDeclared {
			continue
		}
		text, _ := json.Marshal(encode(converted))
		known.Value = text
		out.Variables[name] = known
	}
	var expected *celexpr.Value
	switch matcher := test.GetResultMatcher().(type) {
	case nil:
		expected = &celexpr.Value{Kind: &celexpr.Value_BoolValue{BoolValue: true}}
	case *conformance.SimpleTest_Value:
		expected = matcher.Value
	case *conformance.SimpleTest_TypedResult:
		expected = matcher.TypedResult.GetResult()
		if converted, err := types.ProtoAsType(matcher.TypedResult.GetDeducedType()); err == nil {
			out.ExpectedType = converted.String()
		}
	case *conformance.SimpleTest_EvalError, *conformance.SimpleTest_AnyEvalErrors:
		out.ExpectsError = true
	default:
		out.Undeclared = append(out.Undeclared, fmt.Sprintf("%T", matcher))
	}
	if expected != nil && !out.CheckOnly {
		converted, err := cel.ProtoAsValue(env.CELTypeAdapter(), expected)
		if err != nil {
			out.Undeclared = append(out.Undeclared, "expected: "+err.Error())
		} else {
			out.Expected = encode(converted)
		}
	}
	answer := &out.Kubernetes
	compiled := compile(env, asked, answer)
	if compiled == nil {
		return out
	}
	if out.ExpectedType != "" && answer.Type != out.ExpectedType {
		return out
	}
	if out.CheckOnly {
		out.Passes = true
		return out
	}
	program, err := env.Program(compiled, programOptions(asked)...)
	if err != nil {
		answer.Error = "program instantiation failed: " + err.Error()
		out.Passes = out.ExpectsError
		return out
	}
	evaluate(program, &activation{bound, false}, asked, background, answer)
	if out.ExpectsError {
		out.Passes = answer.Error != ""
	} else {
		out.Passes = answer.Error == "" && out.Expected != nil && sameValue(out.Expected, answer.Result)
	}
	return out
}

func safelyRun(test *conformance.SimpleTest, mode string) (out conformanceTest) {
	defer func() {
		if failure := recover(); failure != nil {
			out = conformanceTest{Name: test.GetName(), Expression: test.GetExpr(), Kubernetes: response{Failure: fmt.Sprintf("panic: %v", failure)}}
		}
	}()
	return runConformanceTest(test, mode)
}

func writeConformance(folder, mode string, to *bufio.Writer) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.textproto"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no conformance tests in %s: %v", folder, err)
	}
	encoder := newEncoder(to)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		parsed := &conformance.SimpleTestFile{}
		if err := (prototext.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, parsed); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, section := range parsed.GetSection() {
			for _, test := range section.GetTest() {
				out := safelyRun(test, mode)
				out.File, out.Section = parsed.GetName(), section.GetName()
				if err := encoder.Encode(out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mostMemory is what an expression may take of the machine: Kubernetes itself bounds some functions only after they ran.
const mostMemory = 6 << 30

func main() {
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: mostMemory, Max: mostMemory})
	to := bufio.NewWriter(os.Stdout)
	defer to.Flush()
	if len(os.Args) > 2 && os.Args[1] == "conformance" {
		mode := "new"
		if len(os.Args) > 3 {
			mode = os.Args[3]
		}
		if err := writeConformance(os.Args[2], mode, to); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	from := bufio.NewReaderSize(os.Stdin, 1<<20)
	encoder := newEncoder(to)
	for {
		line, err := from.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if encodeErr := encoder.Encode(answerRequest(line)); encodeErr != nil {
				_ = encoder.Encode(response{Failure: encodeErr.Error()})
			}
			if from.Buffered() == 0 {
				_ = to.Flush()
			}
		}
		if err != nil {
			return
		}
	}
}
