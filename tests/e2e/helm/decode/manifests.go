package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	scheduler "k8s.io/kube-scheduler/config/v1"
)

// newScheme returns the types of everything that the chart may render.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	return scheme, errors.Join(kubernetes.AddToScheme(scheme), certmanager.AddToScheme(scheme),
		monitoring.AddToScheme(scheme), scheduler.AddToScheme(scheme))
}

// readManifests returns the objects of a stream of YAML documents, or all that is wrong
// with them.
func readManifests(input io.Reader) ([]runtime.Object, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	var errs []error
	for reader := yaml.NewYAMLReader(bufio.NewReader(input)); ; {
		document, err := reader.Read()
		if err == io.EOF {
			return objects, errors.Join(errs...)
		}
		if err != nil {
			return nil, err
		}
		if isEmpty(string(document)) {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s\n%w", document, err))
			continue
		}
		objects = append(objects, object)
		errs = append(errs, checkMetadata(object))
	}
}

func isEmpty(document string) bool {
	for _, line := range strings.Split(document, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line != "---" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// checkMetadata returns what is wrong with an object's name and labels; those that have
// none, as a component's configuration, are right.
func checkMetadata(object runtime.Object) error {
	metadata, err := meta.Accessor(object)
	if err != nil {
		return nil
	}
	checkName := validation.NameIsDNSSubdomain
	switch object.(type) {
	case *corev1.Service:
		checkName = validation.NameIsDNS1035Label
	case *rbacv1.ClusterRole, *rbacv1.ClusterRoleBinding:
		checkName = func(string, bool) []string { return nil }
	}
	var errs []error
	for _, message := range checkName(metadata.GetName(), false) {
		errs = append(errs, fmt.Errorf("name %q: %s", metadata.GetName(), message))
	}
	labels := metavalidation.ValidateLabels(metadata.GetLabels(), field.NewPath("labels"))
	annotations := validation.ValidateAnnotations(metadata.GetAnnotations(), field.NewPath("annotations"))
	for _, err := range append(labels, annotations...) {
		errs = append(errs, fmt.Errorf("%s: %w", metadata.GetName(), err))
	}
	return errors.Join(errs...)
}
