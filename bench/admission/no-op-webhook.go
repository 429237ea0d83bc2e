// No-op-webhook answers every AdmissionReview with yes: the floor of what a webhook costs. It decodes the review into the typed struct of
// Kubernetes, as webhooks in Go do, and leaves the object in it as it is.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	admissionv1 "k8s.io/api/admission/v1"
)

// patch is what /patching answers with: the one that limits make of a pod without resources.
var patch string

func answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if r.URL.Path == "/patching" {
		patchType := admissionv1.PatchTypeJSONPatch
		review.Response.Patch = []byte(patch)
		review.Response.PatchType = &patchType
	}
	review.Request = nil
	answered, err := json.Marshal(&review)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answered)
}

// Words: the certificate's file, the key's, and the patch. Prints the URL when it listens on a free port of loopback.
func main() {
	certificate, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		panic(err)
	}
	patch = os.Args[3]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Printf("ready https://%s\n", listener.Addr())
	server := &http.Server{
		Handler:   http.HandlerFunc(answer),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	panic(server.ServeTLS(listener, "", ""))
}
