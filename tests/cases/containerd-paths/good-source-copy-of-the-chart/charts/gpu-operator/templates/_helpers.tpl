{{- define "gpu-operator.name" -}}gpu-operator{{- end }}
