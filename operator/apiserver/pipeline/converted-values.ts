import type { RegisteredKind } from '../../../kinds/registry.ts';

/** Stored bytes and what a webhook made of them, by the strategy of the kind that shows them, which changes with its definition. */
const convertedValues = new WeakMap<object, WeakMap<Buffer, Buffer>>();

/** Whether only a webhook can turn objects of one version of the kind into another. */
export function isConvertedByWebhook({ definedBy }: RegisteredKind): boolean {
  return definedBy?.spec.conversion?.strategy === 'Webhook';
}

/** Stored bytes as the kind's version shows them; `undefined` when no webhook was asked. */
export function findConverted({ strategy }: RegisteredKind, value: Buffer): Buffer | undefined {
  return convertedValues.get(strategy)?.get(value);
}

/** Keeps what stored bytes are in the kind's version for as long as the bytes are kept. */
export function rememberConverted({ strategy }: RegisteredKind, value: Buffer, converted: Buffer): void {
  let known = convertedValues.get(strategy);
  if (known === undefined) convertedValues.set(strategy, (known = new WeakMap()));
  known.set(value, converted);
}
