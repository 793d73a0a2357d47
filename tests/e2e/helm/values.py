"""Values that tests render the chart with, and values that it has to refuse."""

ISSUER = {"enabled": True, "issuer": {"name": "stowage"}}
NODE_CERTIFICATES = {"hostPath": {"path": "/etc/stowage/tls", "type": "Directory"}}
SCHEDULERS = [{"ipBlock": {"cidr": "10.0.0.0/24"}}]
URL = ("postgresql://stowage@db.example,db2.example:5433/stowage"
       "?sslmode=verify-full&sslrootcert=/etc/stowage/postgresql/ca.crt")

CLAIMS = {"claims": {"enabled": True}, "agent": {"config": {"fast-total": "48GiB"}}}
POSTGRESQL = {"type": "postgresql",
              "postgresql": {"url": URL, "passwordSecret": {"name": "db"},
                             "filesSecret": "db-files"}}
PLACEMENT = {
    "podAnnotations": {"example/a": "b"}, "podLabels": {"team": "memory"},
    "priorityClassName": "system-node-critical", "nodeSelector": {"pool": "train"},
    "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "nvme", "operator": "Exists"}]}]}}},
    "serviceAccount": {"annotations": {"example/role": "x"}}}
ALL_MONITORING = {
    "monitors": {"enabled": True, "labels": {"release": "prometheus"}},
    "rules": {"enabled": True, "labels": {"release": "prometheus"}},
    "dashboards": {"enabled": True, "annotations": {"grafana_folder": "Stowage"}},
    "runbooksUrl": "https://wiki.example/runbooks.html"}

GOOD = {
    "defaults": {},
    "postgresql": {"stowaged": {"replicas": 3, "database": POSTGRESQL}},
    "postgresql by a secret": {"stowaged": {"replicas": 2, "database": {
        "type": "postgresql", "postgresql": {"urlSecret": {"name": "db"}}}}},
    "a claim of one's own": {"stowaged": {"database": {"sqlite": {"persistence": {
        "existingClaim": "mine"}}}}},
    "a class of storage": {"stowaged": {"database": {"sqlite": {"persistence": {
        "storageClass": "fast", "annotations": {"example/backup": "yes"}}}}}},
    "no volume": {"stowaged": {"database": {"sqlite": {"persistence": {
        "enabled": False}}}}},
    "the service alone": {"agent": {"enabled": False}},
    "agents alone": {"stowaged": {"enabled": False},
                     "agent": {"service": "one.example:7420,two.example:7421"}},
    "claims": CLAIMS,
    "claims of a kubelet elsewhere": {
        **CLAIMS, "claims": {"enabled": True, "kubeletHostPath": "/data/kubelet",
                             "cdiHostPath": "/etc/cdi", "deviceClasses": False}},
    "an extender": {"extender": {"enabled": True},
                    "networkPolicy": {"extender": SCHEDULERS}},
    "TLS by secrets": {"tls": {"enabled": True, "secret": "tls",
                               "agentVolume": NODE_CERTIFICATES}},
    "TLS by cert-manager": {
        "stowaged": {"config": {"trust-domain": "cluster.example"}},
        "tls": {"enabled": True, "certManager": ISSUER, "agentVolume": {"csi": {
            "driver": "certificates.example", "readOnly": True,
            "volumeAttributes": {"node": "yes"}}}}},
    "persistent memory": {"agent": {"slow": {"tier": "pmem", "hostPath": "/mnt/pmem0",
                                             "size": "64GiB"}}},
    "a NUMA node": {"agent": {"slow": {"tier": "numa:1"}, "hugePages": False}},
    "accounts of one's own": {
        "stowaged": {"serviceAccount": {"create": False, "name": "service"}},
        "agent": {**CLAIMS["agent"], "serviceAccount": {"create": False}},
        "claims": {"enabled": True}},
    "no policies": {**CLAIMS, "networkPolicy": {"enabled": False, "monitoring": []},
                    "claims": {"enabled": True, "admissionPolicy": False}},
    "an image by digest": {"image": {"repository": "registry.example/stowage",
                                     "digest": "sha256:" + "0" * 64}},
    "all at once": {
        "commonLabels": {"owner": "platform"}, "imagePullSecrets": [{"name": "pull"}],
        "stowaged": {
            "replicas": 2, "database": POSTGRESQL,
            "config": {"roles": ["scheduler=scheduler.example", "agent=*.nodes.example"],
                       "planning-time": "5m", "drift-threshold": 0.1, "reflection": False,
                       "calls-per-second": 100000, "log-format": "json"},
            "service": {"type": "LoadBalancer",
                        "annotations": {"example/internal": "yes"}},
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"team": "memory"}}}], **PLACEMENT},
        "agent": {
            "config": {"fast": "40%", "fast-total": "64GiB", "slow-endurance": "600TB",
                       "socket-mode": "0660", "socket-group": "1000", "policy": "deeptm",
                       "fast-tier": "dram:0", "log-format": "json"},
            "slowDirs": ["/scratch", "/mnt/nvme"], "reportHostPath": "/var/log/stowage",
            "graphHostPath": "/var/lib/stowage/graphs", "maxUnavailable": 1,
            "seccompProfile": {"type": "Localhost", "localhostProfile": "stowage.json"},
            "seLinuxOptions": {"type": "spc_t"}, **PLACEMENT},
        "claims": {"enabled": True}, "extender": {"enabled": True},
        "tls": {"enabled": True, "certManager": ISSUER, "operatorSecret": "operator",
                "agentVolume": NODE_CERTIFICATES},
        "networkPolicy": {"clients": [{"podSelector": {}}], "extender": SCHEDULERS},
        "monitoring": ALL_MONITORING},
}

# Values that are refused, each with what the message has to say.
BAD = [
    ({"replicas": 2}, "'replicas' not allowed"),
    ({"stowaged": {"replica": 2}}, "'replica' not allowed"),
    ({"stowaged": {"replicas": 0}}, "/stowaged/replicas"),
    ({"stowaged": {"replicas": 2}}, "one service alone may have an SQLite file"),
    ({"stowaged": {"config": {"planning-thread": 2}}}, "'planning-thread' not allowed"),
    ({"stowaged": {"config": {"listen": "0.0.0.0:1"}}}, "'listen' not allowed"),
    ({"stowaged": {"config": {"planning-time": "5 minutes"}}}, "planning-time"),
    ({"stowaged": {"config": {"trust-domain": 'a" # b'}}}, "trust-domain"),
    ({"stowaged": {"config": {"roles": "agent=*.example"}}}, "/stowaged/config/roles"),
    ({"stowaged": {"gracePeriodSeconds": 1}}, "/stowaged/gracePeriodSeconds"),
    ({"stowaged": {"database": {"type": "mysql"}}}, "/stowaged/database/type"),
    ({"stowaged": {"database": {"type": "postgresql"}}}, "give its address"),
    ({"stowaged": {"database": {"type": "postgresql", "postgresql": {
        "url": "postgresql://a@b/c", "urlSecret": {"name": "d"}}}}}, "give its address"),
    ({"stowaged": {"database": {"type": "postgresql", "postgresql": {
        "url": "postgresql://user:password@host/db"}}}}, "holds a password"),
    ({"stowaged": {"database": {"sqlite": {"persistence": {"size": "big"}}}}},
     "/persistence/size"),
    ({"stowaged": {"enabled": False}}, "give agent.service the address"),
    ({"agent": {"service": "stowaged.example"}}, "/agent/service"),
    ({"agent": {"config": {"node": "n"}}}, "'node' not allowed"),
    ({"agent": {"config": {"fast-total": "lots"}}}, "fast-total"),
    ({"agent": {"slow": {"tier": "disk"}}}, "/agent/slow/tier"),
    ({"agent": {"slow": {"hostPath": "/mnt/../etc"}}}, "/agent/slow/hostPath"),
    ({"agent": {"slowDirs": ["relative"]}}, "/agent/slowDirs/0"),
    ({"agent": {"hostPath": "/"}}, "/agent/hostPath"),
    ({"agent": {"maxUnavailable": "some"}}, "/agent/maxUnavailable"),
    ({"image": {"digest": "latest"}}, "/image/digest"),
    ({"tls": {"enabled": True}}, "name tls.secret"),
    ({"tls": {"enabled": True, "secret": "tls"}},
     "each agent's certificate names its node"),
    ({"tls": {"enabled": True, "certManager": {"enabled": True}}},
     "name tls.certManager.issuer.name"),
    ({"tls": {"agentVolume": {"secret": {"secretName": "one-for-all"}}}},
     "'secret' not allowed"),
    ({"claims": {"enabled": True}}, "say in agent.config.fast-total"),
    ({"extender": {"enabled": True}}, "where kube-scheduler calls from"),
    ({"networkPolicy": {"clients": [{}]}}, "/networkPolicy/clients/0"),
    ({"networkPolicy": {"databasePorts": [70000]}}, "/networkPolicy/databasePorts/0"),
    ({"fullnameOverride": "stowage-agent"}, "begins with stowage-agent"),
    ({"fullnameOverride": "Stowage"}, "/fullnameOverride"),
]
