{{- define "lethe.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "lethe.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lethe.labels" -}}
{{ include "lethe.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "lethe.secret" -}}
{{ .Values.secret.existing | default (include "lethe.name" .) }}
{{- end }}

{{/* The ports belong to the chart: the service, the probes and the policies name them. */}}
{{- define "lethe.config" -}}
{{- $ports := dict "port" 3000 "host" "0.0.0.0" "admin" (dict "port" 9090 "host" "0.0.0.0" "publicMetrics" true) }}
{{- $gateway := mergeOverwrite (deepCopy (.Values.config.gateway | default dict)) $ports }}
{{- toPrettyJson (merge (dict "gateway" $gateway) .Values.config) }}
{{- end }}
