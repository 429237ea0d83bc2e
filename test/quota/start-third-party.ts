import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const NAME = 'third-party';
/** Objects with this label pass, and are not counted. */
export const spared = { spared: 'yes' };

/** Somebody else's webhook, which the host asks at the same time as ours. */
export interface ThirdParty {
  readonly denied: number;
  /** How often it tried to take a name away. */
  readonly attempts: number;
  /** Names that it has taken away from objects which were about to be created under them. */
  readonly stolen: number;
  stop(): Promise<void>;
}

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly generateName?: string;
    readonly labels?: { readonly spared?: string };
  };
  readonly spec: object;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly namespace: string;
    readonly object: PodObject;
  };
}

/**
 * Denies every fourth pod. Of every third it takes the generated name, by creating a pod of that name before it answers: so the host has
 * to generate another one, and to ask all webhooks anew about another uid.
 */
export async function startThirdParty(cluster: Cluster): Promise<ThirdParty> {
  const nowMillis = Date.now();
  const validity = { notBeforeMillis: nowMillis - 60_000, notAfterMillis: nowMillis + 86_400_000 };
  const authority = await makeCertificate({ commonName: 'third party', purpose: 'authority', ...validity });
  const serving = await makeCertificate(
    { commonName: 'third-party', purpose: 'server', subjectNames: ['127.0.0.1'], ...validity },
    authority,
  );
  const count = { asked: 0, denied: 0, attempts: 0, stolen: 0 };
  const decide = async ({ request }: Review): Promise<object> => {
    const { uid, namespace, object } = request;
    const { name, generateName, labels } = object.metadata;
    if (labels?.spared !== undefined) return { uid, allowed: true };
    count.asked += 1;
    if (count.asked % 4 === 0) {
      count.denied += 1;
      return { uid, allowed: false, status: { code: 403, message: 'not today' } };
    }
    if (generateName !== undefined && count.asked % 3 === 0) {
      count.attempts += 1;
      const body = { metadata: { name, labels: spared }, spec: object.spec };
      const answer = await cluster.request('POST', `/api/v1/namespaces/${namespace}/pods`, { body });
      if (answer.status === 201) count.stolen += 1;
    }
    return { uid, allowed: true };
  };
  const server = createServer({ cert: serving.certificate, key: serving.privateKey }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void decide(JSON.parse(Buffer.concat(chunks).toString()) as Review).then((answer) => {
        const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer });
        response.setHeader('content-type', 'application/json').end(body);
      });
    });
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { status, body } = await cluster.request('POST', CONFIGURATIONS, {
    body: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: NAME },
      webhooks: [
        {
          name: 'third.example.com',
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(authority.certificate).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 20,
        },
      ],
    },
  });
  if (status !== 201) throw new Error(`the third party was answered ${status} ${body.message}`);
  return {
    get denied() {
      return count.denied;
    },
    get attempts() {
      return count.attempts;
    },
    get stolen() {
      return count.stolen;
    },
    async stop() {
      await cluster.request('DELETE', `${CONFIGURATIONS}/${NAME}`);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
