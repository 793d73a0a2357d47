package main

import (
	"context"
	"fmt"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	resource "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
)

const costBudget = 1000000

// sliceRequest is what `user`, whose token belongs to a pod of `node`, does to a slice.
type sliceRequest struct {
	operation, user, node, sliceNode, driver string
}

// printDecision prints "allowed", or what the first policy says that denies the request.
func printDecision(objects []runtime.Object, request sliceRequest) error {
	for _, object := range objects {
		policy, isPolicy := object.(*admissionregistration.ValidatingAdmissionPolicy)
		if !isPolicy {
			continue
		}
		message, err := denial(policy, request.attributes())
		if err != nil {
			return fmt.Errorf("%s: %w", policy.Name, err)
		}
		if message != "" {
			fmt.Println(message)
			return nil
		}
	}
	fmt.Println("allowed")
	return nil
}

func (r sliceRequest) attributes() *admission.VersionedAttributes {
	slice := &resource.ResourceSlice{
		TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"},
		ObjectMeta: metav1.ObjectMeta{Name: "slice"},
		Spec:       resource.ResourceSliceSpec{Driver: r.driver},
	}
	if r.sliceNode != "" {
		slice.Spec.NodeName = &r.sliceNode
	}
	caller := &user.DefaultInfo{Name: r.user, Extra: map[string][]string{}}
	if r.node != "" {
		caller.Extra["authentication.kubernetes.io/node-name"] = []string{r.node}
	}
	var object, oldObject runtime.Object = slice, nil
	if r.operation == string(admission.Delete) {
		object, oldObject = nil, slice
	}
	kind := resource.SchemeGroupVersion.WithKind("ResourceSlice")
	attributes := &admission.VersionedAttributes{VersionedKind: kind}
	attributes.Attributes = admission.NewAttributesRecord(object, oldObject, kind, "",
		slice.Name, resource.SchemeGroupVersion.WithResource("resourceslices"), "",
		admission.Operation(r.operation), nil, false, caller)
	attributes.VersionedObject.Set(object)
	attributes.VersionedOldObject.Set(oldObject)
	return attributes
}

// denial returns why the policy denies a request, "" if it does not. It fails where an
// expression does.
func denial(policy *admissionregistration.ValidatingAdmissionPolicy,
	request *admission.VersionedAttributes) (string, error) {
	compiler, err := cel.NewCompositedCompiler(
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return "", err
	}
	var variables []cel.NamedExpressionAccessor
	for _, variable := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{
			Name: variable.Name, Expression: variable.Expression})
	}
	compiler.CompileAndStoreVariables(variables, cel.OptionalVariableDeclarations{},
		environment.StoredExpressions)

	evaluate := func(expression string) (any, error) {
		return evaluate(compiler, expression, request)
	}
	for _, condition := range policy.Spec.MatchConditions {
		matches, err := evaluate(condition.Expression)
		if err != nil || matches == false {
			return "", err
		}
	}
	for _, validation := range policy.Spec.Validations {
		holds, err := evaluate(validation.Expression)
		if err != nil {
			return "", err
		}
		if holds == true {
			continue
		}
		if validation.MessageExpression == "" {
			return validation.Message, nil
		}
		message, err := evaluate(validation.MessageExpression)
		return fmt.Sprint(message), err
	}
	return "", nil
}

// evaluate returns the value of an expression of a policy.
func evaluate(compiler *cel.CompositedCompiler, expression string,
	request *admission.VersionedAttributes) (any, error) {
	condition := compiler.CompileCondition(
		[]cel.ExpressionAccessor{&validating.Variable{Expression: expression}},
		cel.OptionalVariableDeclarations{}, environment.StoredExpressions)
	asked := cel.CreateAdmissionRequest(request.Attributes,
		metav1.GroupVersionResource(request.GetResource()),
		metav1.GroupVersionKind(request.VersionedKind))
	results, _, err := condition.ForInput(context.Background(), request, asked,
		cel.OptionalVariableBindings{}, nil, costBudget)
	if err != nil {
		return nil, err
	}
	if results[0].Error != nil {
		return nil, results[0].Error
	}
	return results[0].EvalResult.Value(), nil
}
