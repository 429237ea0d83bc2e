{{/* Names are those of platform/release/release-names.ts: the programs find each other's objects by them. */}}
{{- define "bailiwick.operator" -}}{{ .Release.Name }}-operator{{- end }}
{{- define "bailiwick.webhooks" -}}{{ .Release.Name }}-webhooks{{- end }}
{{- define "bailiwick.agent" -}}{{ .Release.Name }}-agent{{- end }}
{{- define "bailiwick.nodeOwner" -}}{{ .Release.Name }}-node-owner{{- end }}
{{- define "bailiwick.settings" -}}{{ .Release.Name }}-settings{{- end }}
{{- define "bailiwick.authority" -}}{{ .Release.Name }}-authority{{- end }}
{{- define "bailiwick.operatorCertificate" -}}{{ .Release.Name }}-operator-tls{{- end }}
{{- define "bailiwick.webhooksCertificate" -}}{{ .Release.Name }}-webhooks-tls{{- end }}
{{- define "bailiwick.agentsAuthority" -}}{{ .Release.Name }}-agents-authority{{- end }}
{{- define "bailiwick.agentsBundle" -}}agents-authority.{{ .Values.domain }}{{- end }}
{{- define "bailiwick.leaderLease" -}}{{ .Release.Name }}-operator{{- end }}

{{/* Of cluster-scoped objects: unique by release and namespace. */}}
{{- define "bailiwick.clusterName" -}}{{ .Release.Namespace }}.{{ .Release.Name }}{{- end }}

{{/* Validating configurations beside the first: a name may occur once in each. */}}
{{- define "bailiwick.furtherConfigurations" -}}
{{- $name := include "bailiwick.clusterName" . -}}
{{ $name }}.2, {{ $name }}.3, {{ $name }}.4
{{- end }}

{{/* Of cluster-scoped objects that a domain has once. */}}
{{- define "bailiwick.reviewService" -}}v1.review.{{ .Values.domain }}{{- end }}
{{- define "bailiwick.nodeService" -}}v1.node.{{ .Values.domain }}{{- end }}
{{- define "bailiwick.agentSigner" -}}node.{{ .Values.domain }}/agent-serving{{- end }}

{{/* Names of the APIServices that the operator answers, with a comma between; nothing when there are none. */}}
{{- define "bailiwick.apiServices" -}}
{{- $names := list -}}
{{- if .Values.review.enabled -}}{{- $names = append $names (include "bailiwick.reviewService" .) -}}{{- end -}}
{{- if .Values.agent.enabled -}}{{- $names = append $names (include "bailiwick.nodeService" .) -}}{{- end -}}
{{- join "," $names -}}
{{- end }}

{{/* YAML reads `Off` without quotes as false. */}}
{{- define "bailiwick.enforcement" -}}
{{ ternary "Off" (toString .Values.enforcement) (eq (toString .Values.enforcement) "false") }}
{{- end }}

{{- define "bailiwick.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Labels of every object; takes a dict of `root`, `component` and `own` (more of them, which go before the common ones). */}}
{{- define "bailiwick.labels" -}}
{{ include "bailiwick.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with merge (dict) (.own | default dict) (.root.Values.commonLabels | default dict) }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "bailiwick.selector" -}}
app.kubernetes.io/name: bailiwick
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{/* `annotations:` with the common ones and those of `own`; nothing when there are none. */}}
{{- define "bailiwick.annotations" -}}
{{- $all := merge (dict) (.own | default dict) (.root.Values.commonAnnotations | default dict) -}}
{{- with $all }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
