{{- /* Copies what jobs load to the node. Jobs that run keep what they have loaded: their
directory is put aside, not written. */ -}}
{{- define "stowage.copySdk" -}}
set -eu
cd {{ .Values.agent.hostPath }}
rm -rf sdk.new
mkdir -p sdk.new/lib sdk.new/share/stowage
cp /usr/lib/libstowage_preload.so /usr/lib/libstowage_torch.so sdk.new/lib
cp -r /usr/share/stowage/python sdk.new/share/stowage
if diff -qr sdk sdk.new >/dev/null 2>&1; then rm -rf sdk.new; exit; fi
rm -rf sdk.old
if [ -e sdk ]; then mv sdk sdk.old; fi
mv sdk.new sdk
{{- end }}

{{- /* What the agent would do itself if it might write to /sys. */ -}}
{{- define "stowage.allowHugePages" -}}
set -eu
cd /host/transparent_hugepage
if grep -qF '[never]' shmem_enabled; then
  echo advise > shmem_enabled || echo "the node's shmem_enabled stays never: copies are slower" >&2
fi
{{- end }}

{{- /* An init container that runs a script of the above: (list . "stowage.copySdk"). */ -}}
{{- define "stowage.agentInit" -}}
{{- $ := index . 0 -}}
image: {{ include "stowage.image" $ | quote }}
imagePullPolicy: {{ $.Values.image.pullPolicy }}
command:
  - sh
  - -c
  - |
    {{- include (index . 1) $ | nindent 4 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources: {{- toYaml $.Values.agent.resources | nindent 2 }}
{{- end }}
