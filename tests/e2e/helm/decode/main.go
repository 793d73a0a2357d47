// Command decode reads Kubernetes manifests from standard input as the API server would,
// and refuses what it would drop or refuse: kinds and fields that the API has not, names
// and labels that are none, expressions that do not compile.
//
//	helm template helm/stowage | decode
//	    prints the objects as a list in JSON
//	helm template helm/stowage | decode classes memory.stowage.dev fast
//	    prints the DeviceClasses that a device of this driver and tier belongs to
//	helm template helm/stowage | decode slice CREATE USER NODE SLICE-NODE DRIVER
//	    prints what the admission policies say of a ResourceSlice: "allowed", or why not
//	helm template helm/stowage | decode levels
//	    prints which Pod Security Standard each pod meets
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	objects, err := readManifests(os.Stdin)
	if err != nil {
		return err
	}
	switch {
	case len(arguments) == 0:
		return printAll(objects)
	case arguments[0] == "classes" && len(arguments) == 3:
		return printClasses(objects, arguments[1], arguments[2])
	case arguments[0] == "levels" && len(arguments) == 1:
		return printLevels(objects)
	case arguments[0] == "slice" && len(arguments) == 6:
		return printDecision(objects, sliceRequest{
			operation: arguments[1], user: arguments[2], node: arguments[3],
			sliceNode: arguments[4], driver: arguments[5]})
	}
	return errors.New("usage: decode [classes DRIVER TIER | levels | slice OPERATION USER NODE SLICE-NODE DRIVER]")
}

func printAll(objects []runtime.Object) error {
	text, err := json.MarshalIndent(objects, "", " ")
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}
