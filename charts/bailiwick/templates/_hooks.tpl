{{- define "bailiwick.hookAnnotations" -}}
helm.sh/hook: {{ .hooks }}
helm.sh/hook-weight: '-5'
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end }}

{{/*
Account, scripts and rights of a hook's job. Takes a dict of `root`, `component`, `hooks` (of Helm), `rules` (of the release's namespace),
`clusterRules`, `files` (name to text) and `keep` (whether the job outlives a success).
*/}}
{{- define "bailiwick.hookParts" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" $root.Release.Name .component -}}
{{- $clusterName := printf "%s-%s" (include "bailiwick.clusterName" $root) .component -}}
{{- $labels := include "bailiwick.labels" . -}}
{{- $hooks := .hooks -}}
{{- $annotations := include "bailiwick.hookAnnotations" . -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
automountServiceAccountToken: false
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
data:
  {{- range $file, $text := .files }}
  {{ $file }}: |
    {{- $text | trim | nindent 4 }}
  {{- end }}
{{- with .rules }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
rules:
  {{- . | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ $name }} }
subjects:
  - { kind: ServiceAccount, name: {{ $name }}, namespace: {{ $root.Release.Namespace | quote }} }
{{- end }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $clusterName }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
rules:
  {{- .clusterRules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $clusterName }}
  labels:
    {{- $labels | nindent 4 }}
  annotations:
    {{- $annotations | nindent 4 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {{ $clusterName }} }
subjects:
  - { kind: ServiceAccount, name: {{ $name }}, namespace: {{ $root.Release.Namespace | quote }} }
{{- end }}

{{/* The job of a hook; takes a dict of `root`, `component`, `hooks`, `script` and `environment`. */}}
{{- define "bailiwick.hookJob" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "bailiwick.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: {{ .hooks }}
    helm.sh/hook-weight: '0'
    # A failed one stays to be read.
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 3
  activeDeadlineSeconds: 240
  template:
    {{- include "bailiwick.scriptPod" (merge (dict "account" (printf "%s-%s" .root.Release.Name .component)) .) | nindent 4 }}
{{- end }}

{{- define "bailiwick.adoptClusterRules" -}}
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames:
    {{- toYaml . | nindent 4 }}
  verbs: [get, patch]
{{- end }}

{{- define "bailiwick.uninstallRules" -}}
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [{{ include "bailiwick.settings" . }}]
  verbs: [patch]
- apiGroups: [apps]
  resources: [deployments/scale]
  resourceNames: [{{ include "bailiwick.operator" . }}]
  verbs: [patch]
- apiGroups: ['']
  resources: [pods]
  verbs: [list]
- apiGroups: ['']
  resources: [pods]
  resourceNames: [{{ .Release.Name }}-test]
  verbs: [delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "bailiwick.leaderLease" . }}]
  verbs: [delete]
{{- if .Values.agent.enabled }}
# Those of the agents have the names of nodes in theirs.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [list, delete]
- apiGroups: [apps]
  resources: [daemonsets]
  resourceNames: [{{ include "bailiwick.agent" . }}]
  verbs: [delete]
- apiGroups: ['']
  resources: [secrets]
  resourceNames: [{{ include "bailiwick.agentsAuthority" . }}]
  verbs: [delete]
{{- end }}
{{- if not .Values.certificates.certManager.enabled }}
- apiGroups: ['']
  resources: [secrets]
  resourceNames:
    - {{ include "bailiwick.authority" . }}
    - {{ include "bailiwick.operatorCertificate" . }}
    - {{ include "bailiwick.webhooksCertificate" . }}
  verbs: [delete]
{{- end }}
{{- end }}

{{- define "bailiwick.uninstallClusterRules" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
  resourceNames: [{{ include "bailiwick.clusterName" . | quote }}]
  verbs: [delete]
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames: [{{ include "bailiwick.furtherConfigurations" . }}]
  verbs: [delete]
{{- with include "bailiwick.apiServices" . }}
- apiGroups: [apiregistration.k8s.io]
  resources: [apiservices]
  resourceNames: [{{ replace "," ", " . }}]
  verbs: [delete]
{{- end }}
{{- end }}

{{- define "bailiwick.testRules" -}}
- apiGroups: ['']
  resources: [configmaps]
  resourceNames: [{{ include "bailiwick.settings" . }}]
  verbs: [get]
{{- end }}

{{- define "bailiwick.testClusterRules" -}}
- apiGroups: ['']
  resources: [namespaces]
  verbs: [create, delete]
- apiGroups: ['']
  resources: [serviceaccounts]
  verbs: [get]
- apiGroups: ['']
  resources: [pods]
  verbs: [create]
- apiGroups: [core.{{ .Values.domain }}]
  resources: [resourcequotas, limitranges]
  verbs: [create]
{{- if .Values.review.enabled }}
- apiGroups: [review.{{ .Values.domain }}]
  resources: [limitreviews]
  verbs: [create]
{{- end }}
{{- if .Values.agent.enabled }}
- apiGroups: [node.{{ .Values.domain }}]
  resources: [checkpoints]
  verbs: [list]
{{- end }}
{{- end }}
