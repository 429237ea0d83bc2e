import { X509Certificate } from 'node:crypto';

import { nameAgentSubject } from '../../platform/agents/agent-identity.ts';
import type { CertificateSource, ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import { setExpiration } from '../../platform/certificates/expiration-gauge.ts';
import { canonicalizeName, readSubjectNames } from '../../platform/certificates/read-certificate.ts';
import { sleep } from '../../platform/process/clock.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { followFiles } from '../../platform/process/follow-files.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { StartError } from '../../platform/process/start-error.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AgentConfiguration } from '../config/agent-configuration.ts';
import {
  prepareCertificateDirectory,
  prepareSelfSigned,
  readIssued,
  readServingPair,
  writeIssued,
} from './certificate-files.ts';
import { makeTrustCheck } from './make-trust-check.ts';
import { planRenewal } from './plan-renewal.ts';
import { CertificateRefusedError, requestCertificate } from './request-certificate.ts';

/** Where the agent's serving certificate comes from. */
export interface ServingCertificateOptions {
  readonly configuration: Pick<AgentConfiguration, 'tlsCertFile' | 'tlsPrivateKeyFile' | 'serverTlsBootstrap'>;
  readonly certDir: string;
  readonly nodeName: string;
  /** IP addresses that the agent is reached at, as of now. */
  readonly addresses: () => readonly string[];
  readonly domain: string;
  /** The API that a certificate is asked for at, as the agent; `undefined`: there is none. */
  readonly client: ResourceClient | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** ConfigMap in which the operator says what it trusts (`ca.crt`); absent: nobody says so. */
  readonly authorities?: { readonly namespace: string; readonly name: string };
  /** How often given files are looked at, and what the operator trusts; absent: every ten seconds, and every five minutes. */
  readonly everyMillis?: number;
}

/** A certificate that is kept current until it is closed. */
export interface OpenServingCertificate extends CertificateSource {
  current(): ServingCertificate;
  /** Ends that; a request under way is given up. */
  close(): void;
}

const firstRetryMillis = 2_000;
const lastRetryMillis = 32_000;
const firstPauseMillis = 5_000;
const refusedRetryMillis = 300_000;
/** Addresses may change while a certificate is far from its end. */
const longestWaitMillis = 60_000;

/** The certificate that is served at present, and who wants to know of the next. */
class CurrentCertificate implements CertificateSource {
  #current: ServingCertificate;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();
  readonly #options: Pick<ServingCertificateOptions, 'logger' | 'metrics'>;

  constructor(first: ServingCertificate, options: Pick<ServingCertificateOptions, 'logger' | 'metrics'>) {
    this.#current = first;
    this.#options = options;
    this.#tell();
  }

  current(): ServingCertificate {
    return this.#current;
  }

  subscribe(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  take(next: ServingCertificate): void {
    this.#current = next;
    this.#tell();
    for (const listener of this.#listeners) listener(next);
  }

  #tell(): void {
    const { serialNumber, notAfterMillis } = this.#current;
    this.#options.logger.info({ serialNumber, notAfter: new Date(notAfterMillis).toISOString() }, 'certificate in use');
    setExpiration(this.#options.metrics, 'agent', notAfterMillis);
  }
}

async function followGivenFiles(
  options: ServingCertificateOptions,
  files: readonly [string, string],
): Promise<OpenServingCertificate> {
  const { clock, logger, everyMillis } = options;
  let current: CurrentCertificate | undefined;
  const end = await followFiles({
    ...{ files, clock },
    ...(everyMillis === undefined ? {} : { everyMillis }),
    onTexts: ([certificate = '', privateKey = '']) => {
      const pair = readServingPair(certificate, privateKey);
      // One of the two may have been replaced and the other not yet.
      if (pair === undefined) throw new StartError(`${files[0]} holds no certificate of the key in ${files[1]}`);
      if (current === undefined) current = new CurrentCertificate(pair, options);
      else current.take(pair);
    },
    onFailure: (error) => logger.error({ files, err: error }, 'a certificate cannot be read, the last good one stays'),
  });
  if (current === undefined) throw new Error('files were followed without being read');
  const opened = current;
  return {
    current: () => opened.current(),
    subscribe: (listener) => opened.subscribe(listener),
    close: end,
  };
}

/** Keeps an issued certificate: asks for one whenever the plan says so, until the signal aborts. */
async function keepIssued(
  options: ServingCertificateOptions & { readonly client: ResourceClient },
  current: CurrentCertificate,
  first: ServingCertificate | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, logger, domain, nodeName, certDir, everyMillis } = options;
  let issued = first;
  let spread = Math.random();
  let retryMillis = firstRetryMillis;
  let pauseMillis = firstPauseMillis;
  let isNew = false;
  const checkTrust = makeTrustCheck(options);
  while (!signal.aborted) {
    const subjectNames = listNames(options);
    const wantedNames = subjectNames.map(canonicalizeName);
    const nowMillis = clock.now();
    const isTrusted = issued === undefined ? undefined : await checkTrust(issued, isNew);
    isNew = false;
    const { atMillis, reason } = planRenewal({ issued: readFacts(issued), isTrusted, wantedNames, nowMillis, spread });
    if (atMillis > nowMillis) {
      pauseMillis = firstPauseMillis;
      await sleep(clock, Math.min(atMillis - nowMillis, everyMillis ?? longestWaitMillis), signal);
      continue;
    }
    try {
      logger.info({ reason }, 'asking for a certificate');
      const made = await requestCertificate({ client, clock, domain, nodeName, subjectNames, signal });
      const serving = readServingPair(made.certificate, made.privateKey);
      if (serving === undefined) throw new Error('the certificate that was issued is not for its key');
      await writeIssued(certDir, made);
      issued = serving;
      spread = Math.random();
      retryMillis = firstRetryMillis;
      current.take(serving);
      isNew = true;
      // Whatever the signer gives: nobody is asked without a pause, and ever less often while that is not what is wanted.
      await sleep(clock, pauseMillis, signal);
      pauseMillis = Math.min(pauseMillis * 2, refusedRetryMillis);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'no certificate was issued, trying again');
      await sleep(clock, error instanceof CertificateRefusedError ? refusedRetryMillis : retryMillis, signal);
      retryMillis = Math.min(retryMillis * 2, lastRetryMillis);
    }
  }
}

function listNames({ nodeName, addresses }: ServingCertificateOptions): string[] {
  return [nodeName, ...new Set(addresses())];
}

function readFacts(issued: ServingCertificate | undefined) {
  if (issued === undefined) return undefined;
  const certificate = new X509Certificate(issued.certificate);
  const [notBeforeMillis, notAfterMillis] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  return { notBeforeMillis, notAfterMillis, names: readSubjectNames(certificate) };
}

/**
 * Opens the agent's serving certificate: that of the given files; else the one that was issued last; else one that it signs itself, until
 * the API issues one. It is renewed long before its end. Throws a StartError for files that cannot be used.
 */
export async function openServingCertificate(options: ServingCertificateOptions): Promise<OpenServingCertificate> {
  const { configuration, certDir, nodeName, client, clock } = options;
  const { tlsCertFile, tlsPrivateKeyFile, serverTlsBootstrap } = configuration;
  if (tlsCertFile !== undefined && tlsPrivateKeyFile !== undefined) {
    return followGivenFiles(options, [tlsCertFile, tlsPrivateKeyFile]);
  }
  await prepareCertificateDirectory(certDir);
  const commonName = nameAgentSubject(nodeName);
  const nowMillis = clock.now();
  const asks = serverTlsBootstrap && client !== undefined;
  const issued = asks ? await readIssued(certDir, nowMillis) : undefined;
  const first =
    issued ??
    (await prepareSelfSigned({ directory: certDir, commonName, subjectNames: listNames(options), nowMillis }));
  const current = new CurrentCertificate(first, options);
  const ending = new AbortController();
  if (asks) void keepIssued({ ...options, client }, current, issued, ending.signal);
  return {
    current: () => current.current(),
    subscribe: (listener) => current.subscribe(listener),
    close: () => ending.abort(),
  };
}
