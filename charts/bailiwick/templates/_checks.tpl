{{/* Refuses an install or upgrade that could not work, in words that say what to do. */}}
{{- define "bailiwick.check" -}}
{{- if not (regexMatch "^[a-z][-a-z0-9]*$" .Release.Name) -}}
{{- fail (printf "release %s: Services take their names from it, so it cannot contain a dot, and begins with a letter" .Release.Name) -}}
{{- end -}}
{{- $domain := .Values.domain -}}
{{- range list "k8s.io" "kubernetes.io" -}}
{{- if or (eq $domain .) (hasSuffix (printf ".%s" .) $domain) -}}
{{- fail (printf "domain %s: groups that end in %s belong to Kubernetes itself; choose a domain of your own" $domain .) -}}
{{- end -}}
{{- end -}}

{{- $record := lookup "v1" "ConfigMap" .Release.Namespace (printf "%s-domain" .Release.Name) -}}
{{- with $record -}}
{{- if ne .data.domain $domain -}}
{{- fail (printf "domain %s: this release was installed with the domain %s, which cannot change; the objects of %s would stay behind. Install a second release for %s" $domain .data.domain .data.domain $domain) -}}
{{- end -}}
{{- end -}}

{{- $marker := lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" (printf "%s:view" $domain) -}}
{{- with $marker -}}
{{- $owner := .metadata.annotations | default dict -}}
{{- $release := index $owner "meta.helm.sh/release-name" | default "unknown" -}}
{{- $namespace := index $owner "meta.helm.sh/release-namespace" | default "unknown" -}}
{{- if or (ne $release $.Release.Name) (ne $namespace $.Release.Namespace) -}}
{{- fail (printf "domain %s is served by the release %s in the namespace %s already; uninstall that one (helm uninstall %s -n %s), or choose another domain. If only its namespace was deleted, remove what was outside: kubectl delete clusterroles,clusterrolebindings,apiservices,validatingadmissionpolicies,validatingadmissionpolicybindings,rolebindings -A -l app.kubernetes.io/name=bailiwick,app.kubernetes.io/instance=%s" $domain $release $namespace $release $namespace $release) -}}
{{- end -}}
{{- end -}}
{{- end }}
