{{/* `foreign` when a CustomResourceDefinition is there that is not this release's; takes a dict of `root` and `name`. */}}
{{- define "bailiwick.crdOwner" -}}
{{- with lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" .name -}}
{{- $owner := .metadata.annotations | default dict -}}
{{- $isOurs := and (eq (index $owner "meta.helm.sh/release-name" | default "") $.root.Release.Name) (eq (index $owner "meta.helm.sh/release-namespace" | default "") $.root.Release.Namespace) -}}
{{- if not $isOurs -}}foreign{{- end -}}
{{- end -}}
{{- end }}

{{/* A CustomResourceDefinition as the release has it; takes a dict of `root` and `crd`. */}}
{{- define "bailiwick.crd" -}}
{{- $labels := include "bailiwick.labels" (dict "root" .root) | fromYaml -}}
{{- $annotations := merge (dict "helm.sh/resource-policy" "keep") (.crd.metadata.annotations | default dict) (.root.Values.commonAnnotations | default dict) -}}
{{- $metadata := dict "name" .crd.metadata.name "labels" (merge (.crd.metadata.labels | default dict) $labels) "annotations" $annotations -}}
{{- toYaml (dict "apiVersion" .crd.apiVersion "kind" .crd.kind "metadata" $metadata "spec" .crd.spec) -}}
{{- end }}
