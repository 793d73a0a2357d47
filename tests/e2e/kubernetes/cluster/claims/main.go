// Command claims runs Kubernetes' own controller of ResourceClaims, which makes them of
// the templates of pods and frees those of pods that are gone. It is one of many in
// kube-controller-manager, whose others take as long to build as the rest of a cluster.
//
//	claims KUBECONFIG
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
)

func fail(err error) {
	klog.ErrorS(err, "cannot run the controller of claims")
	os.Exit(1)
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := resourceclaim.NewController(
		klog.FromContext(ctx), client,
		factory.Core().V1().Pods(),
		factory.Scheduling().V1beta1().PodGroups(),
		factory.Resource().V1().ResourceClaims(),
		factory.Resource().V1().ResourceClaimTemplates())
	if err != nil {
		fail(err)
	}
	factory.Start(ctx.Done())
	controller.Run(ctx, 2)
}
