// Command inject does what a container runtime does with the CDI devices of a
// container, with the library that runtimes use for it. It prints the OCI
// specification that comes of them.
//
//	inject CDI_DIR DEVICE...
package main

import (
	"encoding/json"
	"fmt"
	"os"

	oci "github.com/opencontainers/runtime-spec/specs-go"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

func fail(what any) {
	fmt.Fprintln(os.Stderr, "inject:", what)
	os.Exit(1)
}

func main() {
	cache, err := cdi.NewCache(cdi.WithSpecDirs(os.Args[1]), cdi.WithAutoRefresh(false))
	if err != nil {
		fail(err)
	}
	// The library leaves out files that are not valid, and says why here.
	for path, errs := range cache.GetErrors() {
		fail(fmt.Sprint(path, ": ", errs))
	}
	spec := &oci.Spec{Process: &oci.Process{}}
	if unresolved, err := cache.InjectDevices(spec, os.Args[2:]...); err != nil {
		fail(fmt.Sprint(err, ": ", unresolved))
	}
	if err := json.NewEncoder(os.Stdout).Encode(spec); err != nil {
		fail(err)
	}
}
