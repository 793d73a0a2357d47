package main

import (
	"context"
	"fmt"

	resource "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/dynamic-resource-allocation/cel"
)

// printClasses prints the names of the DeviceClasses that take a device of `driver` with
// the attribute `tier`, as the scheduler decides it.
func printClasses(objects []runtime.Object, driver, tier string) error {
	allowsMany := true
	device := cel.Device{
		Driver:                   driver,
		AllowMultipleAllocations: &allowsMany,
		Attributes: map[resource.QualifiedName]resource.DeviceAttribute{
			"tier": {StringValue: &tier}},
	}
	for _, object := range objects {
		class, isClass := object.(*resource.DeviceClass)
		if !isClass {
			continue
		}
		matches, err := takes(class, device)
		if err != nil {
			return fmt.Errorf("%s: %w", class.Name, err)
		}
		if matches {
			fmt.Println(class.Name)
		}
	}
	return nil
}

func takes(class *resource.DeviceClass, device cel.Device) (bool, error) {
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	for _, selector := range class.Spec.Selectors {
		compiled := compiler.CompileCELExpression(selector.CEL.Expression, cel.Options{})
		if compiled.Error != nil {
			return false, compiled.Error
		}
		matches, _, err := compiled.DeviceMatches(context.Background(), device)
		if err != nil || !matches {
			return false, err
		}
	}
	return true, nil
}
