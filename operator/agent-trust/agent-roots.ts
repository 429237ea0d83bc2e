import { readAuthoritySecret } from '../../platform/certificates/authority-secret.ts';
import { readBundle } from '../../platform/certificates/certificate-objects.ts';
import { joinCertificates } from '../../platform/certificates/read-certificate.ts';
import { secretsResource } from '../../platform/certificates/serving-secret.ts';
import type { SecretObject } from '../../platform/certificates/serving-secret.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { followFiles } from '../../platform/process/follow-files.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { StartError } from '../../platform/process/start-error.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** Where the authorities of agents are. */
export interface AgentRootsOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the Secret with the authorities. */
  readonly namespace: string;
  readonly secret: string;
  /** More of them, as PEM; `undefined`: none. */
  readonly file: string | undefined;
}

/** What the certificates of node agents may lead to, followed by every replica: the authorities of their Secret, and those of a file. */
export class AgentRoots {
  readonly #options: AgentRootsOptions;
  readonly #index: CollectionIndex<SecretObject>;
  #issued = '';
  #given = '';
  #endFile: () => void = () => undefined;

  constructor(options: AgentRootsOptions) {
    const { client, clock, logger, namespace, secret } = options;
    this.#options = options;
    this.#index = new CollectionIndex<SecretObject>({
      ...{ client, clock, reference: { resource: secretsResource, namespace } },
      fieldSelector: `metadata.name=${secret}`,
      onFailure: (error) => logger.warn({ secret, err: error }, 'following the authorities of agents failed'),
    });
    this.#index.subscribe(({ object }) => {
      const authorities = object === undefined ? [] : readAuthoritySecret(object);
      this.#issued = joinCertificates(authorities.map(({ certificate }) => certificate));
    });
  }

  /** Begins to follow; the Secret may become known later. Throws a StartError when there is a file that cannot be used. */
  async start(): Promise<void> {
    const { file, clock, logger } = this.#options;
    if (file !== undefined) {
      this.#endFile = await followFiles({
        ...{ files: [file], clock },
        onTexts: ([text = '']) => {
          const certificates = readBundle(text);
          if (certificates.length === 0) throw new StartError(`${file} holds no certificate that can be read`);
          this.#given = joinCertificates(certificates);
        },
        onFailure: (error) => logger.error({ file, err: error }, 'authorities of agents cannot be read, the last stay'),
      });
    }
    void this.#index.start();
  }

  /** PEM text of them as of now; `undefined` while none is known. */
  current(): string | undefined {
    return `${this.#issued}${this.#given}` || undefined;
  }

  close(): Promise<void> {
    this.#endFile();
    return this.#index.close();
  }
}
