/** The part of the metadata proposal for decorators that tsyringe, below @peculiar/x509, asks for. */
interface MetadataReflection {
  getMetadata?: (key: unknown, target: object, property?: string | symbol) => unknown;
  getOwnMetadata?: (key: unknown, target: object, property?: string | symbol) => unknown;
  hasOwnMetadata?: (key: unknown, target: object, property?: string | symbol) => boolean;
  defineMetadata?: (key: unknown, value: unknown, target: object, property?: string | symbol) => void;
}

/** Provides metadata reflection on `Reflect` where nothing else has; must run before @peculiar/x509 is loaded. */
export function provideReflectMetadata(): void {
  const reflect = Reflect as MetadataReflection;
  if (reflect.getMetadata !== undefined) return;
  const metadata = new WeakMap<object, Map<string | symbol | undefined, Map<unknown, unknown>>>();
  const find = (target: object, property?: string | symbol): Map<unknown, unknown> | undefined =>
    metadata.get(target)?.get(property);
  reflect.getMetadata = (key, target, property) => find(target, property)?.get(key);
  reflect.getOwnMetadata = reflect.getMetadata;
  reflect.hasOwnMetadata = (key, target, property) => find(target, property)?.has(key) ?? false;
  reflect.defineMetadata = (key, value, target, property) => {
    const properties = metadata.get(target) ?? new Map<string | symbol | undefined, Map<unknown, unknown>>();
    metadata.set(target, properties);
    const entries = properties.get(property) ?? new Map<unknown, unknown>();
    properties.set(property, entries);
    entries.set(key, value);
  };
}
