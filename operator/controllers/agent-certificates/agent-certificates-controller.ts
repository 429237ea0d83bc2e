import { formatTime } from '../../../core/time/time.ts';
import { hasReason } from '../../../core/errors/status.ts';
import { Counter } from 'prom-client';
import { nameServingSigner } from '../../../platform/agents/agent-identity.ts';
import { certifyKey } from '../../../platform/certificates/make-certificate.ts';
import { backdateMillis } from '../../../platform/certificates/plan-certificates.ts';
import { readSigningRequest, type SigningRequestFacts } from '../../../platform/certificates/read-signing-request.ts';
import { certificateSigningRequests, findCondition } from '../../../platform/certificates/signing-request-object.ts';
import type {
  SigningRequestCondition,
  SigningRequestObject,
} from '../../../platform/certificates/signing-request-object.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { createControllerQueue, createIndex } from '../controller-parts.ts';
import type { Controller } from '../controller-parts.ts';
import { AgentAuthorities } from './agent-authorities.ts';
import type { AgentAuthoritiesOptions } from './agent-authorities.ts';
import { gatherApproval } from './gather-approval.ts';
import type { SigningAuthority } from './plan-agent-authorities.ts';
import { findShapeFault, planApproval } from './plan-approval.ts';
import { planCleanup } from './plan-cleanup.ts';

/** What the controller needs. */
export interface AgentCertificatesOptions extends Omit<AgentAuthoritiesOptions, 'onChange'> {
  /** Whether requests that were decided long ago are deleted; on a host its own controllers do that. */
  readonly cleansUp: boolean;
}

const fieldManager = 'bailiwick-agent-certificates';
const askAgainMillis = 5_000;
const maxPemBase64 = 65_536;
const backdatedPart = 0.1;

/** Approves and signs the requests of node agents for serving certificates, and nobody else's. Only the leader may run it. */
export class AgentCertificatesController implements Controller {
  readonly #options: AgentCertificatesOptions;
  readonly #agentUser: string;
  readonly #authorities: AgentAuthorities;
  readonly #requests: CollectionIndex<SigningRequestObject>;
  readonly #queue: WorkQueue;
  readonly #decisions: Counter;

  constructor(options: AgentCertificatesOptions) {
    const { names, namespace, domain, metrics } = options;
    this.#options = options;
    this.#agentUser = `system:serviceaccount:${namespace}:${names.agent}`;
    const signerName = nameServingSigner(domain);
    this.#requests = createIndex(options, certificateSigningRequests, `spec.signerName=${signerName}`);
    this.#queue = createControllerQueue(options, 'agent certificates', (name) => this.#reconcile(name));
    this.#authorities = new AgentAuthorities({ ...options, onChange: () => this.#addAll() });
    this.#requests.subscribe(({ object }) => {
      if (object !== undefined) this.#queue.add(object.metadata.name ?? '');
    });
    const name = 'bailiwick_agent_certificate_requests_total';
    const known = metrics.getSingleMetric(name) as Counter | undefined;
    this.#decisions =
      known ??
      new Counter({
        name,
        help: 'Requests of node agents for certificates by what became of them.',
        labelNames: ['decision'],
        registers: [metrics],
      });
  }

  async start(): Promise<void> {
    await Promise.all([this.#authorities.start(), this.#requests.start()]);
  }

  async close(): Promise<void> {
    await this.#requests.close();
    await this.#queue.close();
    await this.#authorities.close();
  }

  #addAll(): void {
    for (const { metadata } of this.#requests.list()) this.#queue.add(metadata.name ?? '');
  }

  async #reconcile(name: string): Promise<WorkResult | undefined> {
    const stored = this.#requests.get(name);
    if (stored === undefined) return undefined;
    const isDone =
      (stored.status?.certificate ?? '') !== '' || ['Denied', 'Failed'].some((type) => findCondition(stored, type));
    if (!isDone) {
      const { request } = stored.spec;
      const pem = request.length > maxPemBase64 ? '' : Buffer.from(request, 'base64').toString('latin1');
      const again = await this.#decide(stored, await readSigningRequest(pem));
      if (again !== undefined) return again;
    }
    return this.#cleanUp(stored);
  }

  async #decide(stored: SigningRequestObject, read: SigningRequestFacts | undefined): Promise<WorkResult | undefined> {
    const { clock, logger } = this.#options;
    let request = stored;
    if (findCondition(request, 'Approved') === undefined) {
      const source = { ...this.#options, agentUser: this.#agentUser };
      const decision = planApproval(await gatherApproval(source, stored, read, clock.now()));
      const { message } = decision;
      const said = { request: stored.metadata.name, requester: stored.spec.username, message };
      if (decision.action === 'wait') {
        logger.info(said, 'the certificate of an agent waits');
        return { againAfterMillis: askAgainMillis };
      }
      if (decision.action === 'leave') {
        logger.info(said, 'a request for an agent certificate is left for a person to approve');
        return undefined;
      }
      const isApproved = decision.action === 'approve';
      request = await this.#writeCondition(stored, 'approval', {
        ...{ type: isApproved ? 'Approved' : 'Denied', reason: decision.reason, message },
      });
      if (!isApproved) {
        this.#decisions.inc({ decision: 'denied' });
        logger.warn({ ...said, reason: decision.reason }, 'the certificate of an agent was denied');
        return undefined;
      }
    }
    return this.#sign(request, read);
  }

  async #sign(request: SigningRequestObject, read: SigningRequestFacts | undefined): Promise<WorkResult | undefined> {
    const { client, logger } = this.#options;
    const fault = findShapeFault({ request: read, usages: request.spec.usages ?? [] });
    const { name = '' } = request.metadata;
    if (fault !== undefined || read?.publicKey === undefined) {
      const message = fault ?? 'there is no key';
      await this.#writeCondition(request, 'status', { type: 'Failed', reason: 'SignerValidationFailure', message });
      this.#decisions.inc({ decision: 'failed' });
      logger.warn({ request: name, message }, 'the certificate of an agent cannot be signed');
      return undefined;
    }
    const signer = this.#authorities.readSigner();
    if (signer === undefined) return { againAfterMillis: askAgainMillis };
    const wanted = this.#describeCertificate(request, read, signer);
    const authority = { certificate: signer.certificate.toString(), privateKey: signer.privateKey };
    const pem = await certifyKey(wanted, read.publicKey, authority);
    const certificate = Buffer.from(pem, 'utf8').toString('base64');
    const status = { ...request.status, certificate };
    await client.update(
      { resource: certificateSigningRequests, name },
      { ...request, status },
      { fieldManager },
      'status',
    );
    this.#decisions.inc({ decision: 'issued' });
    logger.info({ request: name, subject: read.commonName }, 'the certificate of an agent was issued');
    return undefined;
  }

  #describeCertificate({ spec }: SigningRequestObject, read: SigningRequestFacts, { certificate }: SigningAuthority) {
    const { clock, settings } = this.#options;
    const nowMillis = clock.now();
    const askedMillis = spec.expirationSeconds === undefined ? Infinity : spec.expirationSeconds * 1_000;
    const validityMillis = Math.min(settings.servingValidityMillis, askedMillis);
    // An agent asks anew after a part of the whole life: what lies before now must stay a small one.
    const startMillis = nowMillis - Math.min(backdateMillis, validityMillis * backdatedPart);
    const endMillis = nowMillis + validityMillis;
    return {
      commonName: read.commonName,
      purpose: 'server' as const,
      subjectNames: [...read.dnsNames, ...read.ipAddresses],
      notBeforeMillis: Math.max(startMillis, certificate.validFromDate.getTime()),
      notAfterMillis: Math.min(endMillis, certificate.validToDate.getTime()),
    };
  }

  #writeCondition(
    request: SigningRequestObject,
    subresource: 'approval' | 'status',
    condition: Pick<SigningRequestCondition, 'type' | 'reason' | 'message'>,
  ): Promise<SigningRequestObject> {
    const { client, clock } = this.#options;
    const { name = '' } = request.metadata;
    const now = formatTime(clock.now());
    const added = { ...condition, status: 'True', lastUpdateTime: now, lastTransitionTime: now };
    const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), added] };
    const reference = { resource: certificateSigningRequests, name };
    return client.update(reference, { ...request, status }, { fieldManager }, subresource);
  }

  async #cleanUp(request: SigningRequestObject): Promise<WorkResult | undefined> {
    const { client, clock, cleansUp } = this.#options;
    if (!cleansUp) return undefined;
    const leftMillis = planCleanup(request) - clock.now();
    if (leftMillis > 0) return { againAfterMillis: leftMillis };
    const { name = '', uid } = request.metadata;
    try {
      const options = uid === undefined ? {} : { preconditions: { uid } };
      await client.delete({ resource: certificateSigningRequests, name }, options);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return undefined;
  }
}
