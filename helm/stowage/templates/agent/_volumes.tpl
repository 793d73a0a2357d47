{{- /* Directories of the node that the agent has at the same paths: their names, paths
and the types of hostPath. */ -}}
{{- define "stowage.agentDirectories" -}}
{{- $agent := .Values.agent -}}
- {name: stowage, path: {{ $agent.hostPath }}, type: DirectoryOrCreate}
{{- if has $agent.slow.tier (list "file" "pmem") }}
- {name: slow, path: {{ $agent.slow.hostPath }}, type: DirectoryOrCreate}
{{- end }}
{{- range $index, $path := $agent.slowDirs }}
- {name: slow-{{ $index }}, path: {{ $path }}, type: Directory}
{{- end }}
{{- with $agent.reportHostPath }}
- {name: reports, path: {{ . }}, type: DirectoryOrCreate}
{{- end }}
{{- with $agent.graphHostPath }}
- {name: graphs, path: {{ . }}, type: DirectoryOrCreate}
{{- end }}
{{- if .Values.claims.enabled }}
- {name: plugin, path: {{ .Values.claims.kubeletHostPath }}/plugins/memory.stowage.dev, type: DirectoryOrCreate}
- {name: registry, path: {{ .Values.claims.kubeletHostPath }}/plugins_registry, type: Directory}
- {name: cdi, path: {{ .Values.claims.cdiHostPath }}, type: DirectoryOrCreate}
{{- end }}
{{- end }}
