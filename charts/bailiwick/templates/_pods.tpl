{{/* Security of every pod and container: the restricted Pod Security Standard, and a root file system that is only read. */}}
{{- define "bailiwick.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "bailiwick.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/*
A program's Deployment; takes a dict of `root`, `component`, `values`, `flags`, `ports` (name to number) and `callers` (PEM of the authorities of
who may call; empty without).
*/}}
{{- define "bailiwick.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" $root.Release.Name .component -}}
{{- $selector := include "bailiwick.selector" . -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels:
    {{- include "bailiwick.labels" . | nindent 4 }}
  {{- include "bailiwick.annotations" . | nindent 2 }}
spec:
  replicas: {{ .values.replicas }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- $selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "bailiwick.labels" . | nindent 8 }}
      {{- $own := dict }}
      {{- if .callers }}
      {{- $own = dict "checksum/callers" (sha256sum .callers) }}
      {{- end }}
      {{- include "bailiwick.annotations" (dict "root" $root "own" (merge $own (.values.podAnnotations | default dict))) | nindent 6 }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: true
      enableServiceLinks: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . | quote }}
      {{- end }}
      terminationGracePeriodSeconds: 40
      securityContext:
        {{- include "bailiwick.podSecurity" . | nindent 8 }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      affinity:
        {{- if .values.affinity }}
        {{- toYaml .values.affinity | nindent 8 }}
        {{- else }}
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- $selector | nindent 20 }}
        {{- end }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- $selector | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "bailiwick.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          workingDir: /tmp
          args:
            - {{ .component }}
            {{- range concat .flags (.values.extraFlags | default list) }}
            - {{ . | quote }}
            {{- end }}
          {{- if eq .component "webhooks" }}
          env:
            - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
            - { name: POD_UID, valueFrom: { fieldRef: { fieldPath: metadata.uid } } }
          {{- end }}
          ports:
            {{- range $port, $number := .ports }}
            - { name: {{ $port }}, containerPort: {{ $number }}, protocol: TCP }
            {{- end }}
          startupProbe:
            httpGet: { path: /livez, port: health }
            periodSeconds: 1
            failureThreshold: 120
          livenessProbe:
            httpGet: { path: /livez, port: health }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: health }
            periodSeconds: 2
            timeoutSeconds: 2
            failureThreshold: 2
          {{- if eq .component "operator" }}
          lifecycle:
            # Until everybody has taken this replica out of its endpoints, it goes on answering. The webhooks do so by themselves.
            preStop: { sleep: { seconds: 3 } }
          {{- end }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "bailiwick.containerSecurity" . | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- if .callers }}
            - { name: callers, mountPath: /etc/bailiwick/callers, readOnly: true }
            {{- end }}
      volumes:
        {{- if .callers }}
        - name: callers
          configMap: { name: {{ $root.Release.Name }}-callers }
        {{- end }}
        - name: tmp
          emptyDir: { sizeLimit: 64Mi }
{{- end }}

{{/* A program's Service; takes a dict of `root`, `component` and `ports` (list of name, port). */}}
{{- define "bailiwick.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "bailiwick.labels" . | nindent 4 }}
  {{- include "bailiwick.annotations" . | nindent 2 }}
spec:
  type: ClusterIP
  selector:
    {{- include "bailiwick.selector" . | nindent 4 }}
  ports:
    {{- range .ports }}
    - { name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }}, protocol: TCP }
    {{- end }}
{{- end }}

{{/* The agents' configuration file. */}}
{{- define "bailiwick.agentConfig" -}}
apiVersion: agent.config.{{ .Values.domain }}/v1beta1
kind: AgentConfiguration
{{- with .Values.agent.config }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What every agent may do, wherever it runs. */}}
{{- define "bailiwick.agentRules" -}}
# Who calls, and what they may do, the host says.
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
# It asks for the certificate that it serves. Approving and signing are the operator's.
- apiGroups: [certificates.k8s.io]
  resources: [certificatesigningrequests]
  verbs: [create, get]
# Its Lease belongs to its Node, and goes with it.
- apiGroups: ['']
  resources: [nodes]
  verbs: [get]
{{- end }}

{{/* An API group that the operator answers through the host's aggregation layer; takes a dict of `root`, `name` and `group`, without the domain. */}}
{{- define "bailiwick.apiService" -}}
{{- $bundle := "" -}}
{{- with lookup "v1" "Secret" .root.Release.Namespace (include "bailiwick.operatorCertificate" .root) -}}
{{- $bundle = index (.data | default dict) "ca.crt" -}}
{{- end -}}
{{- with lookup "apiregistration.k8s.io/v1" "APIService" "" .name -}}
{{- $bundle = .spec.caBundle | default $bundle -}}
{{- end -}}
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: {{ .name }}
  labels:
    {{- include "bailiwick.labels" (dict "root" .root "component" "operator") | nindent 4 }}
  {{- include "bailiwick.annotations" (dict "root" .root) | nindent 2 }}
spec:
  group: {{ .group }}.{{ .root.Values.domain }}
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 15
  service:
    name: {{ include "bailiwick.operator" .root }}
    namespace: {{ .root.Release.Namespace | quote }}
    port: 444
  {{- with $bundle }}
  # The operator writes it, and renews it with its certificate.
  caBundle: {{ . }}
  {{- end }}
{{- end }}

{{/* A program's PodDisruptionBudget, in the host's own group; takes a dict of `root` and `component`. */}}
{{- define "bailiwick.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- include "bailiwick.labels" . | nindent 4 }}
  {{- include "bailiwick.annotations" . | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "bailiwick.selector" . | nindent 6 }}
{{- end }}

{{/* Pod template of a job that runs one script of `files/`; takes a dict of `root`, `component`, `script`, `account` and `environment`. */}}
{{- define "bailiwick.scriptPod" -}}
metadata:
  labels:
    {{- include "bailiwick.labels" . | nindent 4 }}
spec:
  serviceAccountName: {{ .account }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  restartPolicy: Never
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.operator.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.operator.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "bailiwick.podSecurity" . | nindent 4 }}
  containers:
    - name: {{ .component }}
      image: {{ include "bailiwick.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [node, /scripts/{{ .script }}]
      env:
        - { name: NODE_EXTRA_CA_CERTS, value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt }
        {{- range $name, $value := .environment }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      resources:
        requests: { cpu: 10m, memory: 64Mi }
        limits: { memory: 256Mi }
      securityContext:
        {{- include "bailiwick.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - { name: scripts, mountPath: /scripts, readOnly: true }
  volumes:
    - name: scripts
      configMap: { name: {{ .account }} }
{{- end }}
