import { readFile } from 'node:fs/promises';
import type { CertificateSource, ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import { encodeServingData, readServingSecret } from '../../platform/certificates/serving-secret.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { StartError } from '../../platform/process/start-error.ts';
import type { CertificateFiles } from '../webhooks-flags.ts';

const rereadMillis = 5_000;

async function readFiles(files: CertificateFiles, nowMillis: number): Promise<ServingCertificate> {
  const [certificate, privateKey, bundle] = await Promise.all([
    readFile(files.certificateFile, 'utf8'),
    readFile(files.keyFile, 'utf8'),
    readFile(files.authorityFile ?? files.certificateFile, 'utf8'),
  ]);
  const data = encodeServingData({ certificate, privateKey, bundle });
  const read = readServingSecret({ apiVersion: 'v1', kind: 'Secret', metadata: {}, data }, nowMillis);
  if ('fault' in read) {
    const names = { 'tls.crt': 'the certificate file', 'tls.key': 'the key file', 'ca.crt': 'the authority file' };
    throw new Error(Object.entries(names).reduce((text, [key, name]) => text.replaceAll(key, name), read.fault));
  }
  return read.serving;
}

/** A certificate in files, read again every few seconds; a bad one never takes the place of the last good one. */
export class FileCertificate implements CertificateSource {
  readonly #files: CertificateFiles;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #listeners = new Set<(certificate: ServingCertificate) => void>();
  #current: ServingCertificate;
  #isClosed = false;
  #stop: () => void = () => undefined;

  private constructor(files: CertificateFiles, clock: Clock, logger: Logger, first: ServingCertificate) {
    this.#files = files;
    this.#clock = clock;
    this.#logger = logger;
    this.#current = first;
    this.#await();
  }

  /** Throws a StartError when the files cannot be used. */
  static async open(files: CertificateFiles, clock: Clock, logger: Logger): Promise<FileCertificate> {
    try {
      return new FileCertificate(files, clock, logger, await readFiles(files, clock.now()));
    } catch (error) {
      throw new StartError(`${files.certificateFile} cannot be served: ${(error as Error).message}`, { cause: error });
    }
  }

  current(): ServingCertificate {
    return this.#current;
  }

  subscribe(listener: (certificate: ServingCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the reading; the last certificate stays. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #await(): void {
    if (this.#isClosed) return;
    this.#stop = this.#clock.schedule(rereadMillis, () => void this.#reread());
  }

  async #reread(): Promise<void> {
    try {
      const next = await readFiles(this.#files, this.#clock.now());
      if (next.certificate !== this.#current.certificate || next.bundle !== this.#current.bundle) {
        this.#current = next;
        for (const listener of this.#listeners) listener(next);
      }
    } catch (error) {
      this.#logger.warn({ err: error }, 'the files of the certificate cannot be used, the last ones stay');
    }
    this.#await();
  }
}
