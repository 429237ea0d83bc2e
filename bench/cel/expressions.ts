/** An expression as people write them in admission policies. */
export interface BenchExpression {
  readonly name: string;
  readonly source: string;
}

const podSpec = 'object.spec.template.spec';
const containers = `${podSpec}.containers`;

/** From comparisons of one field to loops over lists, with Kubernetes' own functions. */
export const benchExpressions: readonly BenchExpression[] = [
  { name: 'replicas', source: 'object.spec.replicas <= 5' },
  { name: 'image registry', source: `${containers}.all(c, c.image.startsWith('registry.example.com/'))` },
  {
    name: 'not as root',
    source: `${containers}.all(c, has(c.securityContext) && has(c.securityContext.runAsNonRoot) && c.securityContext.runAsNonRoot)`,
  },
  {
    name: 'required labels',
    source: `has(object.metadata.labels) && ['app', 'team', 'env'].all(l, l in object.metadata.labels)`,
  },
  {
    name: 'no privileges',
    source: `${containers}.all(c, !has(c.securityContext) || !has(c.securityContext.privileged) || c.securityContext.privileged == false)`,
  },
  { name: 'no host paths', source: `!has(${podSpec}.volumes) || ${podSpec}.volumes.all(v, !has(v.hostPath))` },
  { name: 'name by pattern', source: `object.metadata.name.matches('^[a-z][a-z0-9-]{1,40}$')` },
  {
    name: 'image by pattern',
    source: `${containers}.all(c, !c.image.endsWith(':latest') && c.image.matches('^[a-z0-9./-]+:[a-z0-9.-]+$'))`,
  },
  { name: 'optional annotation', source: `object.metadata.?annotations[?'example.com/owner'].orValue('') != ''` },
  {
    name: 'memory limits',
    source: `${containers}.all(c, quantity(c.resources.limits.memory).isLessThan(quantity('2Gi')))`,
  },
  { name: 'immutable selector', source: 'oldObject == null || object.spec.selector == oldObject.spec.selector' },
  {
    name: 'unique names',
    source: `${containers}.map(c, c.name).all(n, ${containers}.exists_one(c, c.name == n))`,
  },
  {
    name: 'group of the user',
    source: `request.userInfo.groups.exists(g, g == 'system:masters') || !(request.operation in ['DELETE', 'CONNECT'])`,
  },
  {
    name: 'message',
    source: `'deployment ' + object.metadata.name + ' may have 5 replicas, not ' + string(object.spec.replicas)`,
  },
];

function makeDeployment(replicas: number): object {
  const makeContainer = (name: string): object => ({
    name,
    image: `registry.example.com/shop/${name}:1.4.${name.length}`,
    ports: [{ containerPort: 8080, protocol: 'TCP' }],
    env: [{ name: 'MODE', value: 'production' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    securityContext: { runAsNonRoot: true, privileged: false, allowPrivilegeEscalation: false },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'shop-frontend',
      namespace: 'shop',
      labels: { app: 'frontend', team: 'shop', env: 'production', tier: 'web' },
      annotations: { 'example.com/owner': 'shop@example.com' },
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'frontend' } },
      template: {
        metadata: { labels: { app: 'frontend', team: 'shop' } },
        spec: {
          containers: ['web', 'proxy', 'metrics', 'logs'].map(makeContainer),
          volumes: [
            { name: 'config', configMap: { name: 'frontend' } },
            { name: 'cache', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** What the expressions read: the variables of a policy, as JSON. */
export const benchVariables: Readonly<Record<string, unknown>> = {
  object: makeDeployment(3),
  oldObject: makeDeployment(2),
  request: {
    operation: 'UPDATE',
    userInfo: { username: 'dev', groups: ['developers', 'system:authenticated'] },
  },
};
