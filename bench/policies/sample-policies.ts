/** One check of a pod, as policies of platform teams have them. */
interface Check {
  readonly expression: string;
  readonly message: string;
}

const checks: readonly Check[] = [
  {
    expression:
      'object.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || !c.securityContext.privileged)',
    message: 'containers must not be privileged',
  },
  {
    expression: "object.spec.containers.all(c, c.image.startsWith('registry.example.test/') || c.image.contains(':'))",
    message: 'images must come from the registry, or have a tag',
  },
  {
    expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))",
    message: 'images must not be of the tag latest',
  },
  {
    expression: "has(object.metadata.labels) && 'app' in object.metadata.labels && object.metadata.labels['app'] != ''",
    message: 'pods must say which app they belong to',
  },
  {
    expression: '!has(object.spec.hostNetwork) || !object.spec.hostNetwork',
    message: 'pods must not use the network of the host',
  },
  {
    expression: '!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))',
    message: 'volumes must not be paths of the host',
  },
  {
    expression:
      "object.spec.containers.all(c, has(c.resources.requests) && 'cpu' in c.resources.requests && quantity(c.resources.requests['cpu']).isLessThan(quantity('4')))",
    message: 'containers must ask for less than four cores',
  },
  {
    expression:
      'object.spec.containers.all(c, !has(c.ports) || c.ports.all(p, p.containerPort > 1023 || p.containerPort in [80, 443]))',
    message: 'ports must not be privileged, but for 80 and 443',
  },
  {
    expression: "object.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$') && size(object.metadata.name) <= 63",
    message: 'names must be DNS labels',
  },
  {
    expression:
      "!has(object.spec.tolerations) || !object.spec.tolerations.exists(t, has(t.operator) && t.operator == 'Exists' && !has(t.key))",
    message: 'pods must not tolerate everything',
  },
];

const checksOfPolicy = 3;

/** The checks of the policy at `place`, three of the samples; `distinct`: each with an exception of its own, so that no two are the same. */
export function pickChecks(place: number, distinct = false): readonly Check[] {
  return Array.from({ length: checksOfPolicy }, (_, i) => {
    const check = checks[(place + i * 3) % checks.length] as Check;
    const except = `object.metadata.name == 'except-${place}-${i}'`;
    return distinct ? { ...check, expression: `${except} || (${check.expression})` } : check;
  });
}

/** A pod that keeps every sample policy. */
export function makeLawfulPod(name: string): unknown {
  const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } };
  const ports = [{ containerPort: 80 }];
  const securityContext = { privileged: false };
  const containers = ['web', 'proxy'].map((container) => ({
    ...{ name: container, image: `registry.example.test/${container}:1`, resources, securityContext },
    ...(container === 'web' ? { ports } : {}),
  }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'web' } }, spec: { containers } };
}
