import { StartError } from '../../platform/process/start-error.ts';

/** Where settings of an installation are kept: the store's file. */
export interface SettingStore {
  readSetting(name: string): string | undefined;
  /** Resolves once the setting is durable. */
  writeSetting(name: string, value: string): Promise<void>;
}

/** The data directory belongs to an installation with another domain. */
export class DomainChangeError extends StartError {
  override readonly name = 'DomainChangeError';

  constructor(recorded: string, asked: string) {
    super(
      `this data directory was set up for the domain ${JSON.stringify(recorded)}; ` +
        `the domain cannot be changed to ${JSON.stringify(asked)}`,
    );
  }
}

const domainSetting = 'domain';

/** Records the domain at the first start; at later ones throws DomainChangeError when it is another. */
export async function recordDomain(settings: SettingStore, domain: string): Promise<void> {
  const recorded = settings.readSetting(domainSetting);
  if (recorded === undefined) await settings.writeSetting(domainSetting, domain);
  else if (recorded !== domain) throw new DomainChangeError(recorded, domain);
}
