package main

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// printLevels prints, for each object that is or makes pods, the strictest of the Pod
// Security Standards that admits them.
func printLevels(objects []runtime.Object) error {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	for _, object := range objects {
		var name string
		var metadata *metav1.ObjectMeta
		var spec *corev1.PodSpec
		switch item := object.(type) {
		case *appsv1.Deployment:
			name, metadata, spec = item.Name, &item.Spec.Template.ObjectMeta, &item.Spec.Template.Spec
		case *appsv1.DaemonSet:
			name, metadata, spec = item.Name, &item.Spec.Template.ObjectMeta, &item.Spec.Template.Spec
		case *corev1.Pod:
			name, metadata, spec = item.Name, &item.ObjectMeta, &item.Spec
		default:
			continue
		}
		fmt.Println(name, strictest(evaluator, metadata, spec))
	}
	return nil
}

func strictest(evaluator policy.Evaluator, metadata *metav1.ObjectMeta, spec *corev1.PodSpec) api.Level {
	for _, level := range []api.Level{api.LevelRestricted, api.LevelBaseline} {
		results := evaluator.EvaluatePod(
			api.LevelVersion{Level: level, Version: api.LatestVersion()}, metadata, spec)
		if policy.AggregateCheckResults(results).Allowed {
			return level
		}
	}
	return api.LevelPrivileged
}
