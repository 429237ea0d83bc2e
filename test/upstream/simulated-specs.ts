/** All of upstream's specs of disruption budgets, and how many there are; expressions of Go for full names, here and below. */
export const disruptionSpecs = { focus: [String.raw`\] DisruptionController `], fewest: 19 } as const;

/** Other specs that need nodes, on which pods only have to seem to run. */
export const simulatedFocus: readonly string[] = [
  String.raw`Garbage collector should (keep the rc|not delete dependents|orphan pods created by rc if delete options)`,
  String.raw`Namespaces .* all pods are removed|OrderedNamespaceDeletion|Generated clientset should create pods`,
  String.raw`EndpointSlice should create Endpoints and EndpointSlices for Pods`,
  String.raw`metadata details across all namespaces for nodes|subresource of built-in type \(node\)`,
];

/** Those of nodes that drive pods away; they wait for minutes, and not beside others. */
export const taintSpecs = { focus: [String.raw`\] NoExecuteTaintManager `], fewest: 7 } as const;
