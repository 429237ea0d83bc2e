import { simulatedFocus } from './simulated-specs.ts';

/** Specs of upstream's that an API service without a host is asked to pass; expressions of Go, for their full names. */
export const embeddedFocus: readonly string[] = [
  // The nine kinds.
  String.raw`\] (ResourceQuota|LimitRange|Ingress API|IngressClass|Netpol API|ValidatingAdmissionPolicy) `,
  String.raw`API priority and fairness`,
  String.raw`Kubectl create quota`,
  // Definitions of custom resources.
  String.raw`\] (CRDValidationRatcheting|CustomResource(Definition|FieldSelectors|PublishOpenAPI|ValidationRules)) `,
  // What every kind has.
  String.raw`\] (API Streaming|AggregatedDiscovery|Discovery|FieldValidation|OpenAPIV3|ServerSideApply|Watchers) `,
  String.raw`\] (Server request timeout|Servers with support|client-go should negotiate|server version|Generated clientset) `,
  String.raw`\] (Namespaces|Garbage collector|OrderedNamespaceDeletion) `,
  // Who asks.
  String.raw`\] (Certificates API|SelfSubjectReview|SubjectReview|ServiceAccounts) `,
  // Kinds beside the nine, as far as they are kept only.
  String.raw`\] (ConfigMap|Secrets) should (be immutable|fail to create|patch|run through|update)`,
  String.raw`\] (CSINodes|CSIStorageCapacity|EndpointSlice|EndpointSliceMirroring|Events|Events API|Lease|Node Lifecycle|PodTemplates) `,
  String.raw`\] (StorageClasses|PersistentVolumes) CSI Conformance`,
  String.raw`\] VolumeAttributesClass .* should run through`,
  String.raw`\] CSIInlineVolumes should run through`,
  String.raw`\] Services should (complete|delete a collection|find a service|provide secure|test the lifecycle)`,
  String.raw`\] CronJob should (remove from|set the|support)`,
  String.raw`\] Job should (allow to delegate|fail when exceeds active deadline)`,
  String.raw`\] (ReplicationController|ReplicaSet) should (get and update|release|surface)`,
  String.raw`\] Pods Extended (Pod TerminationGracePeriodSeconds|Pods Set QOS Class)`,
  // What people type.
  String.raw`Kubectl client Kubectl (api-versions|apply|cluster-info should|describe should check if .* cronjob|diff|prune|server-side dry-run|validation|version)`,
  String.raw`Kubectl client (Proxy server should support -|kubectl (wait|subresource))`,
  String.raw`kubectl kuberc`,
];

/** Specs that match an expression above and are left out; `reason` begins with an id of docs/deviations.md where it is one. */
export const embeddedLeftOut: readonly { readonly expression: string; readonly reason: string }[] = [
  ...simulatedFocus.map((expression) => ({ expression, reason: 'run with simulated nodes' })),
  {
    expression: String.raw`EndpointSlice should support a Service|EndpointSliceMirroring .* same IP|CustomResourceFieldSelectors|by-node`,
    reason: 'containers must run',
  },
  {
    expression: String.raw`ServiceAccounts (ServiceAccountIssuer|should (mount|set ownership|support InCluster))|Events should be sent by kubelets`,
    reason: 'containers must run',
  },
  { expression: String.raw`Kubectl apply should reuse port`, reason: 'service-addresses' },
  {
    expression: String.raw`Discovery should locate the groupVersion|should support (aggregated discovery interface|raw aggregated discovery endpoint Accept headers) \[`,
    reason: 'webhooks: looks for the kinds of webhooks and APIServices, and for autoscaling',
  },
  { expression: String.raw`Aggregated APIServer`, reason: 'webhooks: APIServices' },
  {
    expression: String.raw`accept "application/vnd.kubernetes.protobuf"$|requested by metadatainformer|by metadata client's List`,
    reason: 'protobuf-answers',
  },
  { expression: String.raw`Events API should ensure`, reason: 'event-life' },
  { expression: String.raw`EndpointSlices pointing to API Server`, reason: 'kubernetes-service' },
  { expression: String.raw`should allow opting out of API token automount`, reason: 'admission-plugins' },
  {
    expression: String.raw`authentication/v1(alpha1|beta1)`,
    reason: 'kinds: versions that a default control plane does not serve either',
  },
  { expression: String.raw`original version has been compacted away`, reason: 'waits minutes for a compaction' },
  {
    expression: String.raw`should delete fast|kubectl explain works for CR with the same`,
    reason: 'slow or flaky by its own name',
  },
];
