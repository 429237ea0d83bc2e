import type { ConfigField, ConfigGroup } from './config-field.ts';

function limits(of: string, maxCount: number | undefined, maxBytes: string | undefined): ConfigGroup {
  const more = 'the oldest are removed, pinned ones never';
  return {
    fields: {
      maxCount: {
        ...{ type: 'integer', minimum: 0, description: `How many archives of one ${of} are kept; ${more}. 0: all.` },
        default: maxCount ?? 0,
      },
      maxBytes: {
        ...{
          type: 'bytes',
          minimum: 0,
          description: `How large the archives of one ${of} may be together; ${more}. 0: any size.`,
        },
        default: maxBytes ?? '0',
      },
      maxAge: {
        ...{ type: 'duration', default: '0s', minimum: 0 },
        description: `How old an archive of one ${of} gets, pinned ones aside, where that is less than \`retention.maxAge\`. 0: as old as that.`,
      },
    },
  };
}

const duration = { type: 'duration', isZeroAbsent: true, minimum: 0 } as const satisfies Partial<ConfigField>;
const gone = { isWithoutEffect: true } as const;

/** The fields of `AgentConfiguration`: names, types and defaults of KubeletConfiguration where the kubelet has the field. */
export const configSchema: ConfigGroup = {
  fields: {
    address: {
      ...{ type: 'text', default: '127.0.0.1', isZeroAbsent: true },
      description: 'Address that the agent listens on.',
    },
    port: {
      ...{ type: 'integer', default: 10_350, isZeroAbsent: true, minimum: 1, maximum: 65_535 },
      description: 'Port that the agent listens on, HTTPS.',
    },
    healthzBindAddress: {
      ...{ type: 'text', default: '127.0.0.1', isZeroAbsent: true },
      description: 'Address of health and metrics over plain HTTP.',
    },
    healthzPort: {
      ...{ type: 'integer', default: 0, minimum: 0, maximum: 65_535 },
      description: 'Port of health and metrics over plain HTTP. 0: none.',
    },
    tlsCertFile: {
      ...{ type: 'text', isPath: true },
      description:
        'Certificate to serve and what is between it and its authority, PEM, with `tlsPrivateKeyFile`; read again when it changes. Without it, one that the agent keeps in `--cert-dir`.',
    },
    tlsPrivateKeyFile: { ...{ type: 'text', isPath: true }, description: 'Private key of `tlsCertFile`, PEM.' },
    tlsMinVersion: {
      ...{ type: 'text', default: 'VersionTLS12', isZeroAbsent: true, values: ['VersionTLS12', 'VersionTLS13'] },
      description: 'Least version of TLS.',
    },
    tlsCipherSuites: {
      ...{ type: 'list of texts' },
      description:
        "Cipher suites of TLS 1.2 by their registered names, such as `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`. Without it, Node's choice.",
    },
    serverTLSBootstrap: {
      ...{ type: 'boolean', default: true },
      description:
        'Whether the serving certificate is asked for at the API and renewed before it ends. Until one is issued, and without an API, the agent serves one that it signed itself.',
    },
    authentication: {
      fields: {
        x509: {
          fields: {
            clientCAFile: {
              ...{ type: 'text', isPath: true },
              description:
                'Authorities of client certificates, PEM: common name and organizations are user and groups. Without it, no certificate is asked for.',
            },
          },
        },
        webhook: {
          fields: {
            enabled: {
              ...{ type: 'boolean', default: true },
              description: 'Whether bearer tokens are reviewed by the API (TokenReview).',
            },
            cacheTTL: { ...duration, default: '2m0s', description: 'How long such a review is believed.' },
          },
        },
        anonymous: {
          fields: {
            enabled: {
              ...{ type: 'boolean', default: false },
              description: 'Whether requests without credentials are those of `system:anonymous`, not refused.',
            },
          },
        },
      },
    },
    authorization: {
      fields: {
        mode: {
          ...{ type: 'text', default: 'Webhook', isZeroAbsent: true, values: ['AlwaysAllow', 'Webhook'] },
          description:
            '`Webhook`: the API is asked (SubjectAccessReview on `nodes`). `AlwaysAllow`: whoever is authenticated may do everything. Without an API, `AlwaysAllow`.',
        },
        webhook: {
          fields: {
            cacheAuthorizedTTL: { ...duration, default: '5m0s', description: 'How long a permission is believed.' },
            cacheUnauthorizedTTL: { ...duration, default: '30s', description: 'How long a refusal is believed.' },
          },
        },
      },
    },
    containerRuntimeEndpoint: {
      ...{ type: 'text', default: 'unix:///run/containerd/containerd.sock', isZeroAbsent: true },
      description: 'Socket of the container runtime.',
    },
    imageServiceEndpoint: {
      ...{ type: 'text', defaultText: 'that of `containerRuntimeEndpoint`', isZeroAbsent: true },
      description: 'Socket of the image service.',
    },
    runtimeRequestTimeout: {
      ...{ ...duration, default: '2m0s' },
      description: 'How long the runtime may take for a request, and for a checkpoint that names no timeout.',
    },
    nodeStatusUpdateFrequency: {
      ...{ ...duration, default: '10s' },
      description: "How often the node's status is measured, and written when it changed.",
    },
    nodeStatusReportFrequency: {
      ...{
        ...duration,
        default: '5m0s',
        defaultText: '5m0s; `nodeStatusUpdateFrequency` where the same file sets that one',
      },
      description: "How often the node's status is written when nothing changed.",
    },
    nodeLeaseDurationSeconds: {
      ...{ type: 'integer', default: 40, isZeroAbsent: true, minimum: 1 },
      description: 'How long the Lease holds; it is renewed after a quarter of this.',
    },
    registerNode: {
      ...{ type: 'boolean', default: true },
      description: 'Whether the agent makes the Node, when it owns it.',
    },
    registerWithTaints: { type: 'list of taints', description: 'Taints of the Node that the agent makes.' },
    providerID: {
      type: 'text',
      isZeroAbsent: true,
      description: '`spec.providerID` of the Node that the agent makes.',
    },
    maxPods: {
      ...{ type: 'integer', default: 110, isZeroAbsent: true, minimum: 0 },
      description: 'How many pods the node has room for.',
    },
    podsPerCore: {
      ...{ type: 'integer', default: 0, minimum: 0 },
      description: 'How many pods it has room for by processor, if that is less than `maxPods`. 0: any number.',
    },
    evictionHard: {
      type: 'map of texts',
      default: {
        'imagefs.available': '15%',
        'imagefs.inodesFree': '5%',
        'memory.available': '100Mi',
        'nodefs.available': '10%',
        'nodefs.inodesFree': '5%',
      },
      description: 'By signal, below what the node is under pressure: a quantity, or a part of the whole.',
    },
    mergeDefaultEvictionSettings: {
      ...{ type: 'boolean', default: false },
      description: 'Whether signals that `evictionHard` of the main file leaves out have their default.',
    },
    evictionPressureTransitionPeriod: {
      ...{ ...duration, default: '5m0s' },
      description: 'How long a condition of pressure stays after its cause has gone.',
    },
    kubeReserved: {
      type: 'map of texts',
      description:
        'By resource (`cpu`, `memory`, `ephemeral-storage`, `pid`), what pods cannot have since the agents of the node need it.',
    },
    systemReserved: { type: 'map of texts', description: 'The same for what else runs on the machine.' },
    featureGates: { type: 'map of booleans', description: 'Features that are turned on or off; see below.' },
    staticPodPath: { ...{ type: 'text', isPath: true, ...gone }, description: 'Folder of manifests of static pods.' },
    staticPodURL: { ...{ type: 'text', ...gone }, description: 'Where manifests of static pods are fetched from.' },
    staticPodURLHeader: {
      ...{ type: 'map of lists of texts', isSecret: true, ...gone },
      description: 'Headers of requests for these manifests.',
    },
    clusterDNS: { ...{ type: 'list of texts', ...gone }, description: 'Addresses of name servers of pods.' },
    clusterDomain: { ...{ type: 'text', ...gone }, description: 'Domain that pods search first.' },
    nftables: {
      fields: {
        skipKernelVersionCheck: {
          ...{ type: 'boolean', default: false },
          description: 'Whether kernels from 5.4 on are good enough for nftables; not recommended in production.',
        },
      },
    },
    checkpoints: {
      fields: {
        parallel: {
          ...{ type: 'integer', default: 2, minimum: 1, maximum: 64 },
          description: 'How many checkpoints are taken at once, of different containers; others wait.',
        },
        defaultTimeout: {
          ...{ ...duration, defaultText: 'that of `runtimeRequestTimeout`' },
          description: 'How long a checkpoint may take whose request names no timeout, waiting included.',
        },
        minimumFreeBytes: {
          ...{ type: 'bytes or a share', defaultText: '`2Gi` or `15%`, whichever is more' },
          description:
            'What stays free on the filesystem of the archives: without it no checkpoint begins, and one under way is cancelled.',
        },
        retention: {
          fields: {
            maxAge: {
              ...{ type: 'duration', default: '168h0m0s', minimum: 0 },
              description: 'How old an archive gets. 0: any age.',
            },
            podGoneAge: {
              ...{ type: 'duration', default: '24h0m0s', minimum: 0 },
              description: 'How long an archive outlives its pod. 0: without an end.',
            },
            container: limits('container', 10, undefined),
            pod: limits('pod', 30, undefined),
            namespace: limits('namespace', 200, '10Gi'),
            node: limits('node', 1_000, '20Gi'),
          },
        },
      },
    },
  },
};
