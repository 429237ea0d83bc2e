import type { z } from 'zod';
import { kindSchema, typedLocalObjectReferenceSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  int32,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';

const V1 = 'io.k8s.api.networking.v1';

const servicePortSchema = struct(
  { definition: `${V1}.ServiceBackendPort`, mapType: 'atomic', description: 'Port of a service, by name or number.' },
  {
    name: omitted(text(), 'Name of the port; excludes number.'),
    number: omitted(int32(), 'Number of the port; excludes name.'),
  },
);

const serviceBackendSchema = struct(
  { definition: `${V1}.IngressServiceBackend`, description: 'A port of a service.' },
  {
    name: required(text(), 'Name of a service in the same namespace.'),
    port: filled(servicePortSchema, 'Port of the service; a name or a number is needed.'),
  },
);

const backendSchema = struct(
  { definition: `${V1}.IngressBackend`, description: 'Where traffic goes: a service or another resource.' },
  {
    service: pointer(serviceBackendSchema, 'A service; excludes resource.'),
    resource: pointer(typedLocalObjectReferenceSchema, 'Another resource in the same namespace; excludes service.'),
  },
);

const pathSchema = struct(
  { definition: `${V1}.HTTPIngressPath`, description: 'Maps requests under a path to a backend.' },
  {
    path: omitted(text(), 'Path that begins with a slash; needed for Exact and Prefix.'),
    pathType: pointer(
      choice(['Exact', 'Prefix', 'ImplementationSpecific'], 'v1.PathType'),
      'Exact, Prefix (by elements of the path) or ImplementationSpecific (up to the class).',
      { requiredField: true },
    ),
    backend: required(backendSchema, 'Where matching requests go.'),
  },
);

const httpSchema = struct(
  { definition: `${V1}.HTTPIngressRuleValue`, description: 'Paths of HTTP requests.' },
  { paths: required(atomicList(pathSchema).nullable(), 'The paths.') },
);

const ruleSchema = struct(
  { definition: `${V1}.IngressRule`, description: 'Paths of one host.' },
  {
    host: omitted(text(), 'Full domain name, or a wildcard in its first label; absent means every host.'),
    http: pointer(httpSchema, 'Paths of the host.'),
  },
);

const tlsSchema = struct(
  { definition: `${V1}.IngressTLS`, description: 'Hosts whose TLS is terminated with one certificate.' },
  {
    hosts: omitted(atomicList(text()), 'Hosts in the certificate.'),
    secretName: omitted(text(), 'Secret with the certificate; absent leaves routing to SNI.'),
  },
);

const specSchema = struct(
  { definition: `${V1}.IngressSpec`, description: 'How connections from outside reach backends.' },
  {
    ingressClassName: pointer(text(), 'IngressClass whose controller serves this.'),
    defaultBackend: pointer(backendSchema, 'Where requests go that match no rule; needed without rules.'),
    tls: omitted(atomicList(tlsSchema), 'TLS on port 443, the only one.'),
    rules: omitted(atomicList(ruleSchema), 'Rules by host.'),
  },
);

const portStatusSchema = struct(
  { definition: `${V1}.IngressPortStatus`, description: 'State of one exposed port.' },
  {
    port: required(int32(), 'Number of the port.'),
    protocol: required(choice(['TCP', 'UDP', 'SCTP'], 'v1.Protocol'), 'TCP, UDP or SCTP.'),
    error: pointer(text(), 'What is wrong with the port: CamelCase, or foo.example.com/CamelCase.'),
  },
);

const loadBalancerIngressSchema = struct(
  { definition: `${V1}.IngressLoadBalancerIngress`, description: 'One point where traffic enters.' },
  {
    ip: omitted(text(), 'Its address, where it is known by one.'),
    hostname: omitted(text(), 'Its name, where it is known by one.'),
    ports: omitted(atomicList(portStatusSchema), 'Its exposed ports.'),
  },
);

const statusSchema = struct(
  { definition: `${V1}.IngressStatus`, description: 'What serves the Ingress.' },
  {
    loadBalancer: filled(
      struct(
        { definition: `${V1}.IngressLoadBalancerStatus`, description: 'Points where traffic enters.' },
        { ingress: omitted(atomicList(loadBalancerIngressSchema), 'The points.') },
      ),
      'State of the load balancer.',
    ),
  },
);

/** Schema of Ingress. */
export const ingressSchema = kindSchema(`${V1}.Ingress`, 'Lets connections from outside reach backends.', {
  spec: filled(specSchema, 'The rules.'),
  status: filled(statusSchema, 'What serves them.'),
});

/** Rules by which inbound connections reach backends ("Ingress"). */
export type Ingress = z.infer<typeof ingressSchema>;
/** Target of traffic. */
export type IngressBackend = z.infer<typeof backendSchema>;
/** One path of a rule. */
export type HttpIngressPath = z.infer<typeof pathSchema>;
/** Paths of one host. */
export type IngressRule = z.infer<typeof ruleSchema>;
/** Hosts of one certificate. */
export type IngressTls = z.infer<typeof tlsSchema>;
/** A service and its port. */
export type IngressServiceBackend = z.infer<typeof serviceBackendSchema>;
