{{- define "stowage.fullname" -}}
{{- $base := default .Chart.Name .Values.nameOverride -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name $base) (contains $base .Release.Name) -}}
{{- default $name .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "stowage.agentName" -}}
{{ include "stowage.fullname" . }}-agent
{{- end }}

{{- /* Labels that select the pods of a component: (list . "agent"). */ -}}
{{- define "stowage.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: {{ default $.Chart.Name $.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* All labels of a component's objects: (list . "agent"). */ -}}
{{- define "stowage.labels" -}}
{{- $ := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
app.kubernetes.io/part-of: stowage
{{ include "stowage.selector" . }}
{{- with $.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "stowage.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "stowage.stowagedAccount" -}}
{{- $own := ternary (include "stowage.fullname" .) "default" .Values.stowaged.serviceAccount.create -}}
{{ default $own .Values.stowaged.serviceAccount.name }}
{{- end }}

{{- define "stowage.agentAccount" -}}
{{- $own := ternary (include "stowage.agentName" .) "default" .Values.agent.serviceAccount.create -}}
{{ default $own .Values.agent.serviceAccount.name }}
{{- end }}

{{- /* DNS name of the service, by which agents call it. */ -}}
{{- define "stowage.host" -}}
{{ include "stowage.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "stowage.address" -}}
{{- default (printf "%s:7420" (include "stowage.host" .)) .Values.agent.service -}}
{{- end }}

{{- /* A configuration file of a daemon: its flags, without their dashes. */ -}}
{{- define "stowage.config" -}}
{{- range $flag, $value := . }}
{{ $flag }} = {{ $value | toRawJson }}
{{- end }}
{{- end }}

{{- /* The flags of stowaged. */ -}}
{{- define "stowage.stowagedConfig" -}}
{{- $flags := dict
    "listen" "0.0.0.0:7420"
    "metrics-address" "0.0.0.0:9464"
    "grace-period" (printf "%ds" (int .Values.stowaged.gracePeriodSeconds)) -}}
{{- if .Values.tls.enabled -}}
{{- $_ := set $flags "tls-certificate" "/etc/stowage/tls/tls.crt" -}}
{{- $_ := set $flags "tls-key" "/etc/stowage/tls/tls.key" -}}
{{- $_ := set $flags "tls-authorities" "/etc/stowage/tls/ca.crt" -}}
{{- else -}}
{{- $_ := set $flags "allow-plaintext" true -}}
{{- end -}}
{{- if .Values.extender.enabled -}}
{{- $_ := set $flags "extender-address" "0.0.0.0:7421" -}}
{{- end -}}
{{- with .Values.stowaged.database -}}
{{- if eq .type "sqlite" -}}
{{- $_ := set $flags "db" "/var/lib/stowage/stowaged.db" -}}
{{- else if .postgresql.url -}}
{{- $_ := set $flags "db" .postgresql.url -}}
{{- end -}}
{{- end -}}
{{- include "stowage.config" (merge $flags .Values.stowaged.config) -}}
{{- end }}

{{- /* The flags of stowage-agent. The pod's environment has its node. */ -}}
{{- define "stowage.agentConfig" -}}
{{- $agent := .Values.agent -}}
{{- $slow := $agent.slow.tier -}}
{{- if has $slow (list "file" "pmem") -}}
{{- $slow = printf "%s:%s" $slow $agent.slow.hostPath -}}
{{- end -}}
{{- with $agent.slow.size -}}
{{- $slow = printf "%s,size=%s" $slow . -}}
{{- end -}}
{{- $flags := dict
    "socket" (printf "%s/agent.sock" $agent.hostPath)
    "service" (include "stowage.address" .)
    "slow" $slow
    "metrics-address" "0.0.0.0:9465"
    "keep-huge-pages" true -}}
{{- if .Values.tls.enabled -}}
{{- $_ := set $flags "tls-certificate" "/etc/stowage/tls/tls.crt" -}}
{{- $_ := set $flags "tls-key" "/etc/stowage/tls/tls.key" -}}
{{- $_ := set $flags "tls-authorities" "/etc/stowage/tls/ca.crt" -}}
{{- else -}}
{{- $_ := set $flags "allow-plaintext" true -}}
{{- end -}}
{{- with $agent.slowDirs -}}
{{- $_ := set $flags "slow-dir" . -}}
{{- end -}}
{{- with $agent.reportHostPath -}}
{{- $_ := set $flags "report-dir" . -}}
{{- end -}}
{{- with $agent.graphHostPath -}}
{{- $_ := set $flags "graph-dir" . -}}
{{- end -}}
{{- if .Values.claims.enabled -}}
{{- $_ := set $flags "kubernetes" true -}}
{{- $_ := set $flags "kubelet-dir" .Values.claims.kubeletHostPath -}}
{{- $_ := set $flags "cdi-dir" .Values.claims.cdiHostPath -}}
{{- $_ := set $flags "sdk-dir" (printf "%s/sdk" $agent.hostPath) -}}
{{- end -}}
{{- include "stowage.config" (merge $flags $agent.config) -}}
{{- end }}

{{- /* Text of a file of deploy/ with links to the run books. */ -}}
{{- define "stowage.deployed" -}}
{{- $ := index . 0 -}}
{{- $.Files.Get (index . 1) | replace "docs/runbooks.md" $.Values.monitoring.runbooksUrl -}}
{{- end }}

{{- define "stowage.databaseClaim" -}}
{{ default (printf "%s-database" (include "stowage.fullname" .)) .Values.stowaged.database.sqlite.persistence.existingClaim }}
{{- end }}

{{- /* Secrets with the certificates of the service, and of an operator for tests. */ -}}
{{- define "stowage.tlsSecret" -}}
{{ default (printf "%s-tls" (include "stowage.fullname" .)) .Values.tls.secret }}
{{- end }}

{{- define "stowage.operatorSecret" -}}
{{- $own := ternary (printf "%s-operator-tls" (include "stowage.fullname" .)) "" .Values.tls.certManager.enabled -}}
{{ default $own .Values.tls.operatorSecret }}
{{- end }}

{{- /* On which nodes pods of stowaged or the agent run. */ -}}
{{- define "stowage.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
