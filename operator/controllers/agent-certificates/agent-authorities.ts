import { hasReason } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { nameAgentsBundle } from '../../../platform/agents/agent-identity.ts';
import { readAuthoritySecret } from '../../../platform/certificates/authority-secret.ts';
import type { CertificateSettings } from '../../../platform/certificates/certificate-facts.ts';
import { setExpiration } from '../../../platform/certificates/expiration-gauge.ts';
import { joinCertificates } from '../../../platform/certificates/read-certificate.ts';
import { secretsResource } from '../../../platform/certificates/serving-secret.ts';
import type { SecretObject } from '../../../platform/certificates/serving-secret.ts';
import type { WorkQueue, WorkResult } from '../../../platform/kube/work-queue.ts';
import type { Registry } from '../../../platform/process/metrics.ts';
import { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import {
  isRotationAsked,
  makeAuthority,
  writeAuthorities,
  type CertificateWriter,
} from '../certificates/write-certificate-secret.ts';
import { createControllerQueue } from '../controller-parts.ts';
import type { Controller, ControllerOptions } from '../controller-parts.ts';
import { planAgentAuthorities } from './plan-agent-authorities.ts';
import type { SigningAuthority } from './plan-agent-authorities.ts';

/** Where the authorities are kept, and for how long they are made. */
export interface AgentAuthoritiesOptions extends ControllerOptions, CertificateWriter {
  readonly settings: CertificateSettings;
  readonly metrics: Registry;
  /** Called when it may have become known who signs. */
  readonly onChange: () => void;
}

interface BundleObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const queueKey = 'authorities';
const maxSteps = 10;

/** Keeps the authorities of the agents' certificates in their Secret: makes them, rotates them by the plan. Only the leader may run it. */
export class AgentAuthorities implements Controller {
  readonly #options: AgentAuthoritiesOptions;
  readonly #index: CollectionIndex<SecretObject>;
  readonly #queue: WorkQueue;
  #signer: SigningAuthority | undefined;

  constructor(options: AgentAuthoritiesOptions) {
    const { client, clock, logger, namespace, names } = options;
    this.#options = options;
    this.#queue = createControllerQueue(options, 'agent authorities', () => this.#reconcile());
    this.#index = new CollectionIndex<SecretObject>({
      ...{ client, clock, reference: { resource: secretsResource, namespace } },
      fieldSelector: `metadata.name=${names.agentsAuthority}`,
      onFailure: (error) => logger.warn({ err: error }, 'following the authorities of agents failed, trying again'),
    });
    this.#index.subscribe(() => this.#queue.add(queueKey));
  }

  /** Resolves when the authorities have been looked at once; a failure is tried again. */
  async start(): Promise<void> {
    this.#queue.add(queueKey);
    await this.#index.start();
    await this.#queue.waitUntilIdle();
  }

  async close(): Promise<void> {
    await this.#index.close();
    await this.#queue.close();
  }

  /** Who signs now; `undefined` while that is not known. */
  readSigner(): SigningAuthority | undefined {
    return this.#signer;
  }

  async #reconcile(): Promise<WorkResult> {
    for (let count = 0; count < maxSteps; count += 1) {
      const againAfterMillis = await this.#takeStep();
      if (againAfterMillis !== undefined) return { againAfterMillis };
    }
    throw new Error('the authorities of agents do not come to rest');
  }

  /** Says to everybody what agents are trusted by. Nothing depends on it at once, so that it fails keeps nobody waiting. */
  async #publish(bundle: string): Promise<void> {
    const { client, namespace, domain, logger } = this.#options;
    const name = nameAgentsBundle(domain);
    const reference = { resource: configMaps, namespace };
    const data = { 'ca.crt': bundle };
    try {
      const stored = await getIfPresent<BundleObject>(client, { ...reference, name });
      if (stored?.data?.['ca.crt'] === bundle) return;
      const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
      if (stored === undefined) await client.create<BundleObject>(reference, { ...made, data });
      else await client.update<BundleObject>({ ...reference, name }, { ...stored, data: { ...stored.data, ...data } });
    } catch (error) {
      logger.warn({ configMap: name, err: error }, 'the authorities of agents could not be published');
    }
  }

  /** Takes the plan's next step; returns when to look again, `undefined` when that is at once. */
  async #takeStep(): Promise<number | undefined> {
    const { client, clock, logger, namespace, names, domain, settings, metrics, onChange } = this.#options;
    const name = names.agentsAuthority;
    const stored = await getIfPresent<SecretObject>(client, { resource: secretsResource, namespace, name });
    const authorities = stored === undefined ? [] : readAuthoritySecret(stored);
    const nowMillis = clock.now();
    const facts = { nowMillis, settings, authorities, isRotationAsked: isRotationAsked(stored, domain) };
    const { step, signer, againAtMillis } = planAgentAuthorities(facts);
    if (step === undefined) {
      await this.#publish(joinCertificates(authorities.map(({ certificate }) => certificate)));
      this.#signer = signer;
      setExpiration(metrics, 'agents-authority', signer?.certificate.validToDate.getTime());
      onChange();
      return againAtMillis - nowMillis;
    }
    const isNew = step.action === 'introduce';
    const wanted = isNew ? [...step.keep, await makeAuthority(name, step.validity)] : step.authorities;
    try {
      await writeAuthorities(this.#options, name, stored, wanted, isNew);
      logger.info({ secret: name, action: step.action, reason: step.reason }, 'the authorities of agents changed');
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) throw error;
      logger.info(
        { secret: name, action: step.action },
        'somebody else changed the authorities of agents, looking again',
      );
    }
    return undefined;
  }
}
