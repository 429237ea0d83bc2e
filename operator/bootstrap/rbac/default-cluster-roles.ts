/** A rule in short: words are separated by spaces, `{domain}` in a group stands for the installation's domain. */
export type RuleTemplate =
  | { readonly verbs: string; readonly groups: readonly string[]; readonly resources: string; readonly names?: string }
  | { readonly verbs: string; readonly urls: string };

/** A ClusterRole that exists from the first start. */
export interface ClusterRoleTemplate {
  readonly name: string;
  /** The role (`view`, `edit`, `admin`) that takes over these rules. */
  readonly aggregatesTo?: string;
  /** Whether the rules are collected from the roles that aggregate to this one. */
  readonly aggregated?: boolean;
  readonly rules: readonly RuleTemplate[];
}

/** Roles for people and for every client, as Kubernetes has them. */
export const defaultClusterRoles: readonly ClusterRoleTemplate[] = [
  {
    name: 'admin',
    aggregated: true,
    rules: [],
  },
  {
    name: 'cluster-admin',
    rules: [
      { verbs: '*', groups: ['*'], resources: '*' },
      { verbs: '*', urls: '*' },
    ],
  },
  {
    name: 'edit',
    aggregatesTo: 'admin',
    aggregated: true,
    rules: [],
  },
  {
    name: 'system:aggregate-to-admin',
    aggregatesTo: 'admin',
    rules: [
      // An archive holds the memory of a container, secrets included.
      { verbs: 'create', groups: ['node.{domain}'], resources: 'pods/checkpoint' },
      { verbs: 'delete patch update', groups: ['node.{domain}'], resources: 'checkpoints' },
      { verbs: 'get', groups: ['node.{domain}'], resources: 'checkpoints/archive' },
      { verbs: 'create', groups: ['authorization.k8s.io'], resources: 'localsubjectaccessreviews' },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: ['rbac.authorization.k8s.io'],
        resources: 'rolebindings roles',
      },
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    aggregatesTo: 'edit',
    rules: [
      {
        verbs: 'get list watch',
        groups: [''],
        resources: 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy',
      },
      { verbs: 'impersonate', groups: [''], resources: 'serviceaccounts' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: [''],
        resources: 'pods pods/attach pods/exec pods/portforward pods/proxy',
      },
      { verbs: 'create', groups: [''], resources: 'pods/eviction' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: [''],
        resources:
          'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      },
      { verbs: 'create', groups: [''], resources: 'serviceaccounts/token' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['apps'],
        resources:
          'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['autoscaling'],
        resources: 'horizontalpodautoscalers',
      },
      { verbs: 'create delete deletecollection patch update', groups: ['batch'], resources: 'cronjobs jobs' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['extensions'],
        resources:
          'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['policy', 'policy.{domain}'],
        resources: 'poddisruptionbudgets',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['networking.{domain}'],
        resources: 'ingresses networkpolicies',
      },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: ['coordination.k8s.io'],
        resources: 'leases',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: ['resource.k8s.io'],
        resources: 'resourceclaims resourceclaimtemplates',
      },
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregatesTo: 'view',
    rules: [
      { verbs: 'get list', groups: ['node.{domain}'], resources: 'checkpoints' },
      {
        verbs: 'create',
        groups: ['review.{domain}'],
        resources: 'admissionreviews evictionreviews flowreviews limitreviews quotareviews',
      },
      {
        verbs: 'get list watch',
        groups: [''],
        resources:
          'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      },
      {
        verbs: 'get list watch',
        groups: [''],
        resources:
          'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      },
      {
        verbs: 'get list watch',
        groups: ['core.{domain}'],
        resources: 'limitranges resourcequotas resourcequotas/status',
      },
      { verbs: 'get list watch', groups: [''], resources: 'namespaces' },
      { verbs: 'get list watch', groups: ['discovery.k8s.io'], resources: 'endpointslices' },
      {
        verbs: 'get list watch',
        groups: ['apps'],
        resources:
          'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      },
      {
        verbs: 'get list watch',
        groups: ['autoscaling'],
        resources: 'horizontalpodautoscalers horizontalpodautoscalers/status',
      },
      { verbs: 'get list watch', groups: ['batch'], resources: 'cronjobs cronjobs/status jobs jobs/status' },
      {
        verbs: 'get list watch',
        groups: ['extensions'],
        resources:
          'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      },
      {
        verbs: 'get list watch',
        groups: ['policy', 'policy.{domain}'],
        resources: 'poddisruptionbudgets poddisruptionbudgets/status',
      },
      {
        verbs: 'get list watch',
        groups: ['networking.{domain}'],
        resources: 'ingresses ingresses/status networkpolicies',
      },
      {
        verbs: 'get list watch',
        groups: ['resource.k8s.io'],
        resources: 'resourceclaims resourceclaims/status resourceclaimtemplates',
      },
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      { verbs: 'create', groups: ['authentication.k8s.io'], resources: 'tokenreviews' },
      { verbs: 'create', groups: ['authorization.k8s.io'], resources: 'subjectaccessreviews' },
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        verbs: 'create',
        groups: ['authorization.k8s.io'],
        resources: 'selfsubjectaccessreviews selfsubjectrulesreviews',
      },
      { verbs: 'create', groups: ['authentication.k8s.io'], resources: 'selfsubjectreviews' },
    ],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        verbs: 'get',
        urls: '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      },
    ],
  },
  {
    name: 'system:monitoring',
    rules: [
      { verbs: 'get', urls: '/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*' },
      { verbs: 'get', groups: [''], resources: 'nodes/metrics' },
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ verbs: 'get', urls: '/healthz /livez /readyz /version /version/' }],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      {
        verbs: 'get',
        urls: '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      },
    ],
  },
  {
    name: 'view',
    aggregatesTo: 'edit',
    aggregated: true,
    rules: [],
  },
];
