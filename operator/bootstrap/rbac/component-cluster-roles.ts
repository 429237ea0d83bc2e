import type { ClusterRoleTemplate } from './default-cluster-roles.ts';

/** Roles for the components of a cluster and for those who operate them, as Kubernetes has them. */
export const componentClusterRoles: readonly ClusterRoleTemplate[] = [
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [{ verbs: 'create', groups: ['certificates.k8s.io'], resources: 'certificatesigningrequests/nodeclient' }],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [
      { verbs: 'create', groups: ['certificates.k8s.io'], resources: 'certificatesigningrequests/selfnodeclient' },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: [
      {
        verbs: 'approve',
        groups: ['certificates.k8s.io'],
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-client',
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: [
      {
        verbs: 'approve',
        groups: ['certificates.k8s.io'],
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-client-kubelet',
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: [
      {
        verbs: 'approve',
        groups: ['certificates.k8s.io'],
        resources: 'signers',
        names: 'kubernetes.io/kubelet-serving',
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:legacy-unknown-approver',
    rules: [
      {
        verbs: 'approve',
        groups: ['certificates.k8s.io'],
        resources: 'signers',
        names: 'kubernetes.io/legacy-unknown',
      },
    ],
  },
  {
    name: 'system:kube-aggregator',
    rules: [{ verbs: 'get list watch', groups: [''], resources: 'endpoints services' }],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      { verbs: 'create patch update', groups: ['', 'events.k8s.io'], resources: 'events' },
      { verbs: 'create', groups: ['coordination.k8s.io'], resources: 'leases' },
      { verbs: 'get update', groups: ['coordination.k8s.io'], resources: 'leases', names: 'kube-controller-manager' },
      { verbs: 'create', groups: [''], resources: 'secrets serviceaccounts' },
      { verbs: 'delete', groups: [''], resources: 'secrets' },
      { verbs: 'get', groups: [''], resources: 'configmaps namespaces secrets serviceaccounts' },
      { verbs: 'update', groups: [''], resources: 'secrets serviceaccounts' },
      { verbs: 'create', groups: ['authentication.k8s.io'], resources: 'tokenreviews' },
      { verbs: 'create', groups: ['authorization.k8s.io'], resources: 'subjectaccessreviews' },
      { verbs: 'list watch', groups: ['*'], resources: '*' },
      { verbs: 'create', groups: [''], resources: 'serviceaccounts/token' },
    ],
  },
  {
    name: 'system:kube-dns',
    rules: [{ verbs: 'list watch', groups: [''], resources: 'endpoints services' }],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      { verbs: 'create patch update', groups: ['', 'events.k8s.io'], resources: 'events' },
      { verbs: 'create', groups: ['coordination.k8s.io'], resources: 'leases' },
      { verbs: 'get list update watch', groups: ['coordination.k8s.io'], resources: 'leases', names: 'kube-scheduler' },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: ['coordination.k8s.io'],
        resources: 'leasecandidates',
      },
      { verbs: 'get list watch', groups: [''], resources: 'nodes' },
      { verbs: 'delete get list watch', groups: [''], resources: 'pods' },
      { verbs: 'create', groups: [''], resources: 'bindings pods/binding' },
      { verbs: 'patch update', groups: [''], resources: 'pods/status' },
      { verbs: 'get list watch', groups: [''], resources: 'replicationcontrollers services' },
      { verbs: 'get list watch', groups: ['apps', 'extensions'], resources: 'replicasets' },
      { verbs: 'get list watch', groups: ['apps'], resources: 'statefulsets' },
      { verbs: 'get list watch', groups: ['policy'], resources: 'poddisruptionbudgets' },
      { verbs: 'get list watch', groups: [''], resources: 'persistentvolumeclaims persistentvolumes' },
      { verbs: 'create', groups: ['authentication.k8s.io'], resources: 'tokenreviews' },
      { verbs: 'create', groups: ['authorization.k8s.io'], resources: 'subjectaccessreviews' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'csinodes' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'volumeattachments' },
      { verbs: 'get list watch', groups: [''], resources: 'namespaces' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'csidrivers' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'csistoragecapacities' },
      { verbs: 'get list watch', groups: ['resource.k8s.io'], resources: 'deviceclasses' },
      { verbs: 'get list patch update watch', groups: ['resource.k8s.io'], resources: 'resourceclaims' },
      { verbs: 'get list patch update watch', groups: ['resource.k8s.io'], resources: 'resourceclaims/status' },
      { verbs: 'update', groups: [''], resources: 'pods/finalizers' },
      { verbs: 'get list watch', groups: ['resource.k8s.io'], resources: 'resourceslices' },
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      { verbs: 'get list watch', groups: [''], resources: 'nodes' },
      { verbs: 'proxy', groups: [''], resources: 'nodes' },
      { verbs: '*', groups: [''], resources: 'nodes/log nodes/metrics nodes/proxy nodes/stats' },
      { verbs: '*', groups: [''], resources: 'nodes/configz nodes/healthz nodes/pods' },
    ],
  },
  {
    name: 'system:node',
    rules: [
      { verbs: 'create', groups: ['authentication.k8s.io'], resources: 'tokenreviews' },
      {
        verbs: 'create',
        groups: ['authorization.k8s.io'],
        resources: 'localsubjectaccessreviews subjectaccessreviews',
      },
      { verbs: 'get list watch', groups: [''], resources: 'services' },
      { verbs: 'create get list watch', groups: [''], resources: 'nodes' },
      { verbs: 'patch update', groups: [''], resources: 'nodes/status' },
      { verbs: 'patch update', groups: [''], resources: 'nodes' },
      { verbs: 'create patch update', groups: [''], resources: 'events' },
      { verbs: 'get list watch', groups: [''], resources: 'pods' },
      { verbs: 'create delete', groups: [''], resources: 'pods' },
      { verbs: 'patch update', groups: [''], resources: 'pods/status' },
      { verbs: 'create', groups: [''], resources: 'pods/eviction' },
      { verbs: 'get list watch', groups: [''], resources: 'configmaps secrets' },
      { verbs: 'get', groups: [''], resources: 'persistentvolumeclaims persistentvolumes' },
      { verbs: 'get', groups: [''], resources: 'endpoints' },
      { verbs: 'create get list watch', groups: ['certificates.k8s.io'], resources: 'certificatesigningrequests' },
      { verbs: 'create delete get patch update', groups: ['coordination.k8s.io'], resources: 'leases' },
      { verbs: 'get', groups: ['storage.k8s.io'], resources: 'volumeattachments' },
      { verbs: 'create', groups: [''], resources: 'serviceaccounts/token' },
      { verbs: 'get patch update', groups: [''], resources: 'persistentvolumeclaims/status' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'csidrivers' },
      { verbs: 'create delete get patch update', groups: ['storage.k8s.io'], resources: 'csinodes' },
      { verbs: 'get list watch', groups: ['node.k8s.io'], resources: 'runtimeclasses' },
      { verbs: 'get', groups: ['resource.k8s.io'], resources: 'resourceclaims' },
      { verbs: 'deletecollection', groups: ['resource.k8s.io'], resources: 'resourceslices' },
      { verbs: 'get', groups: [''], resources: 'serviceaccounts' },
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [
      { verbs: 'create get list watch', groups: ['certificates.k8s.io'], resources: 'certificatesigningrequests' },
    ],
  },
  {
    name: 'system:node-problem-detector',
    rules: [
      { verbs: 'get', groups: [''], resources: 'nodes' },
      { verbs: 'patch', groups: [''], resources: 'nodes/status' },
      { verbs: 'create patch update', groups: ['', 'events.k8s.io'], resources: 'events' },
    ],
  },
  {
    name: 'system:node-proxier',
    rules: [
      { verbs: 'list watch', groups: [''], resources: 'endpoints services' },
      { verbs: 'get list watch', groups: [''], resources: 'nodes' },
      { verbs: 'create patch update', groups: ['', 'events.k8s.io'], resources: 'events' },
      { verbs: 'list watch', groups: ['networking.k8s.io'], resources: 'servicecidrs' },
      { verbs: 'list watch', groups: ['discovery.k8s.io'], resources: 'endpointslices' },
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      { verbs: 'create delete get list watch', groups: [''], resources: 'persistentvolumes' },
      { verbs: 'get list update watch', groups: [''], resources: 'persistentvolumeclaims' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'storageclasses' },
      { verbs: 'watch', groups: [''], resources: 'events' },
      { verbs: 'create patch update', groups: ['', 'events.k8s.io'], resources: 'events' },
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      { verbs: 'get list patch update watch', groups: [''], resources: 'persistentvolumes' },
      { verbs: 'get list watch', groups: ['storage.k8s.io'], resources: 'storageclasses' },
      { verbs: 'get list patch update watch', groups: [''], resources: 'persistentvolumeclaims' },
    ],
  },
];
