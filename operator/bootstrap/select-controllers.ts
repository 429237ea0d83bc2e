/** The controllers that can be left to somebody else, by the names that Kubernetes gives them. */
export const controllerNames = [
  'clusterrole-aggregation-controller',
  'disruption-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'taint-eviction-controller',
  'validatingadmissionpolicy-status-controller',
] as const;

export type ControllerName = (typeof controllerNames)[number];

function isControllerName(word: string): word is ControllerName {
  return (controllerNames as readonly string[]).includes(word);
}

/**
 * Reads a list such as `*,-namespace-controller`: `*` is all of them, `NAME` one, `-NAME` all but one; what comes first of a name and
 * its opposite counts. `fault` names the words that are neither.
 */
export function selectControllers(
  text: string,
): { readonly value: ReadonlySet<ControllerName> } | { readonly fault: string } {
  const words = text.split(',');
  const unknown = words.filter((word) => word !== '*' && !isControllerName(word.replace(/^-/, '')));
  if (unknown.length > 0)
    return { fault: `no such controller: ${unknown.join(', ')}; there are ${controllerNames.join(', ')}` };
  const isSelected = (name: ControllerName): boolean => {
    const said = words.find((word) => word === name || word === `-${name}`);
    return said === undefined ? words.includes('*') : said === name;
  };
  return { value: new Set(controllerNames.filter(isSelected)) };
}
