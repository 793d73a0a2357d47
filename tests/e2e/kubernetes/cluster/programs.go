//go:build programs

// Package programs names the programs that tools/test-kubernetes.sh builds, so that
// go.mod has the modules of all of them.
package programs

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "tags.cncf.io/container-device-interface/pkg/cdi"
)
