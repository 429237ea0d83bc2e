import type { z } from 'zod';
import { kindSchema, labelSelectorSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  int32,
  intOrString,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';

const V1 = 'io.k8s.api.networking.v1';

const ipBlockSchema = struct(
  { definition: `${V1}.IPBlock`, description: 'A range of addresses, with ranges left out of it.' },
  {
    cidr: required(text(), 'Range in CIDR notation, IPv4 or IPv6.'),
    except: omitted(atomicList(text()), 'Ranges strictly inside cidr that do not belong to the block.'),
  },
);

const peerSchema = struct(
  { definition: `${V1}.NetworkPolicyPeer`, description: 'Pods or addresses at the other end of the traffic.' },
  {
    podSelector: pointer(labelSelectorSchema, 'Selects pods; of the own namespace unless namespaceSelector is set.'),
    namespaceSelector: pointer(labelSelectorSchema, 'Selects namespaces; an empty selector selects all of them.'),
    ipBlock: pointer(ipBlockSchema, 'Addresses; no other field may be set beside it.'),
  },
);

const portSchema = struct(
  { definition: `${V1}.NetworkPolicyPort`, description: 'A port, or a range of ports, of one protocol.' },
  {
    protocol: pointer(choice(['TCP', 'UDP', 'SCTP'], 'v1.Protocol'), 'TCP (the default), UDP or SCTP.'),
    port: pointer(intOrString(), 'Number, or name of a port of the pod; absent means every port.'),
    endPort: pointer(int32(), 'Last port of a range that starts at a numeric port.'),
  },
);

const ingressRuleSchema = struct(
  {
    definition: `${V1}.NetworkPolicyIngressRule`,
    description: 'Traffic that may come in: it matches both from and ports.',
  },
  {
    ports: omitted(atomicList(portSchema), 'Ports, any of which may match; none means all.'),
    from: omitted(atomicList(peerSchema), 'Sources, any of which may match; none means all.'),
  },
);

const egressRuleSchema = struct(
  {
    definition: `${V1}.NetworkPolicyEgressRule`,
    description: 'Traffic that may go out: it matches both to and ports.',
  },
  {
    ports: omitted(atomicList(portSchema), 'Ports, any of which may match; none means all.'),
    to: omitted(atomicList(peerSchema), 'Destinations, any of which may match; none means all.'),
  },
);

const specSchema = struct(
  { definition: `${V1}.NetworkPolicySpec`, description: 'Which pods the policy is for, and what it lets through.' },
  {
    podSelector: filled(
      labelSelectorSchema,
      'Pods that the policy is for; an empty selector selects the whole namespace.',
    ),
    ingress: omitted(atomicList(ingressRuleSchema), 'Rules for incoming traffic; none lets nothing in.'),
    egress: omitted(atomicList(egressRuleSchema), 'Rules for outgoing traffic; none lets nothing out.'),
    policyTypes: omitted(
      atomicList(choice(['Ingress', 'Egress'], 'v1.PolicyType')),
      'Ingress, Egress or both. Absent, it is Ingress, and Egress too when there are egress rules.',
    ),
  },
);

/** Schema of NetworkPolicy. */
export const networkPolicySchema = kindSchema(
  `${V1}.NetworkPolicy`,
  'Says what traffic is allowed for a set of pods.',
  {
    spec: filled(specSchema, 'The allowed traffic.'),
  },
);

/** Allowed traffic of a set of pods ("NetworkPolicy"). */
export type NetworkPolicy = z.infer<typeof networkPolicySchema>;
/** What a NetworkPolicy allows. */
export type NetworkPolicySpec = z.infer<typeof specSchema>;
/** One end of the traffic. */
export type NetworkPolicyPeer = z.infer<typeof peerSchema>;
/** Ports of a rule. */
export type NetworkPolicyPort = z.infer<typeof portSchema>;
/** Addresses of a peer. */
export type IpBlock = z.infer<typeof ipBlockSchema>;
