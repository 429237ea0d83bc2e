import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { configSchema } from './config-schema.ts';
import { decodeConfiguration } from './decode-configuration.ts';
import { completeConfiguration, mergeDropIns, overrideConfiguration } from './merge-configuration.ts';
import { arbitraryDocument } from './testdata/arbitrary-document.ts';

/** Leaves by path: scalars, whole lists, and the entries of maps. */
function flatten(value: JsonValue | undefined, path: string, found = new Map<string, JsonValue>()) {
  if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) flatten(member, `${path}/${name}`, found);
  } else if (value !== undefined) {
    found.set(path, value);
  }
  return found;
}

const document = arbitraryDocument(configSchema);

describe('mergeDropIns [Resources and their fields/Node agent local files and sockets#17]', () => {
  const base = completeConfiguration({
    ...{ port: 1, maxPods: 20, clusterDNS: ['10.0.0.9', '10.0.0.10'] },
    authentication: { webhook: { enabled: false, cacheTTL: '1m0s' }, anonymous: { enabled: true } },
    featureGates: { ContainerCheckpoint: false, SystemdWatchdog: false },
    evictionHard: { 'memory.available': '1Gi' },
    staticPodURLHeader: { 'a-header': ['a', 'b'], 'b-header': ['c'] },
  });

  // The four rules of the specification, in its order.
  it.for<[string, JsonObject, JsonObject]>([
    [
      'scalars and embedded structures are overridden field by field [Resources and their fields/Node agent local files and sockets#18]',
      { port: 2, authentication: { webhook: { enabled: true } } },
      {
        ...{ port: 2, maxPods: 20 },
        authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '1m0s' }, anonymous: { enabled: true } },
      },
    ],
    [
      'a list is replaced as a whole [Resources and their fields/Node agent local files and sockets#19]',
      { clusterDNS: ['10.0.0.1'] },
      { clusterDNS: ['10.0.0.1'] },
    ],
    ['also by an empty one', { clusterDNS: [] }, { clusterDNS: [] }],
    [
      'keys of a map with scalar values are overridden one by one [Resources and their fields/Node agent local files and sockets#20]',
      { featureGates: { SystemdWatchdog: true, AllAlpha: true }, evictionHard: { 'nodefs.available': '3%' } },
      {
        featureGates: { ContainerCheckpoint: false, SystemdWatchdog: true, AllAlpha: true },
        evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '3%' },
      },
    ],
    [
      'the list under a key of a map is replaced as a whole [Resources and their fields/Node agent local files and sockets#21]',
      { staticPodURLHeader: { 'a-header': ['x'] } },
      { staticPodURLHeader: { 'a-header': ['x'], 'b-header': ['c'] } },
    ],
    [
      'null and zero bring the default back',
      { port: 0, authentication: { webhook: { cacheTTL: null } }, featureGates: { SystemdWatchdog: null } },
      {
        port: 10_350,
        authentication: { x509: {}, webhook: { enabled: false, cacheTTL: '2m0s' }, anonymous: { enabled: true } },
        featureGates: { ContainerCheckpoint: false },
      },
    ],
    ['thresholds that are taken away have no default', { evictionHard: null }, { evictionHard: {} }],
  ])('%s', ([, dropIn, expected]) => {
    expect(mergeDropIns(base, [dropIn])).toMatchObject(expected);
    for (const [name, value] of Object.entries(expected)) expect(mergeDropIns(base, [dropIn])[name]).toEqual(value);
  });

  it('gives every leaf the value of the last file that sets it, else its default', () => {
    fc.assert(
      fc.property(document, fc.array(document, { maxLength: 3 }), (main, dropIns) => {
        const start = completeConfiguration(main);
        const expected = flatten(start, '');
        for (const dropIn of dropIns) {
          for (const [path, value] of flatten(dropIn, '')) expected.set(path, value);
        }
        expect(flatten(mergeDropIns(start, dropIns), '')).toEqual(expected);
        for (const [path, value] of flatten(main, '')) expect(flatten(start, '').get(path)).toEqual(value);
      }),
    );
  });

  it('is the same one by one and all at once, and settles after a second time', () => {
    fc.assert(
      fc.property(document, document, document, (main, first, second) => {
        const start = completeConfiguration(main);
        const merged = mergeDropIns(start, [first, second]);
        expect(mergeDropIns(mergeDropIns(start, [first]), [second])).toEqual(merged);
        expect(mergeDropIns(start, [first, second, first, second])).toEqual(merged);
        expect(mergeDropIns(start, [])).toEqual(start);
      }),
    );
  });

  it('does not mind the order of files that set nothing of each other', () => {
    const apart = fc.tuple(
      arbitraryDocument(configSchema, ['port', 'checkpoints', 'featureGates']),
      arbitraryDocument({
        fields: Object.fromEntries(
          Object.entries(configSchema.fields).filter(([name]) =>
            ['port', 'checkpoints', 'featureGates'].includes(name),
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(document, apart, (main, [first, second]) => {
        const start = completeConfiguration(main);
        expect(mergeDropIns(start, [first, second])).toEqual(mergeDropIns(start, [second, first]));
      }),
    );
  });

  it('merges what files say, whatever they set', () => {
    const identity = { apiVersion: 'agent.config.bailiwick.dev/v1beta1', kind: 'AgentConfiguration' };
    fc.assert(
      fc.property(document, (set) => {
        const bytes = Buffer.from(JSON.stringify({ ...identity, ...set }));
        expect(decodeConfiguration(bytes, identity, '/')).toEqual({ document: set });
      }),
    );
  });
});

describe('completeConfiguration', () => {
  it.for<[JsonObject, string]>([
    [{}, '5m0s'],
    [{ nodeStatusUpdateFrequency: '20s' }, '20s'],
    [{ nodeStatusUpdateFrequency: '20s', nodeStatusReportFrequency: '1m0s' }, '1m0s'],
    [{ nodeStatusUpdateFrequency: '0s' }, '5m0s'],
  ])('reports the status as often as the kubelet would with %j: %s', ([main, frequency]) => {
    expect(completeConfiguration(main)['nodeStatusReportFrequency']).toBe(frequency);
  });

  it('leaves the frequency of reports alone when only a drop-in sets that of updates', () => {
    const merged = mergeDropIns(completeConfiguration({}), [{ nodeStatusUpdateFrequency: '20s' }]);
    expect(merged['nodeStatusReportFrequency']).toBe('5m0s');
  });

  it('adds thresholds that are left out only when it is asked to', () => {
    const evictionHard = { 'memory.available': '1Gi' };
    expect(completeConfiguration({ evictionHard })['evictionHard']).toEqual(evictionHard);
    expect(completeConfiguration({ evictionHard, mergeDefaultEvictionSettings: true })['evictionHard']).toEqual({
      ...{ 'imagefs.available': '15%', 'imagefs.inodesFree': '5%', 'memory.available': '1Gi' },
      ...{ 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
    });
  });
});

describe('overrideConfiguration', () => {
  it('sets what flags set over everything else, gates one by one', () => {
    const merged = mergeDropIns(completeConfiguration({ featureGates: { SystemdWatchdog: false } }), [{ port: 7 }]);
    const result = overrideConfiguration(merged, [
      { flag: '--port', path: ['port'], value: 0 },
      { flag: '--feature-gates', path: ['featureGates', 'ContainerCheckpoint'], value: false },
      { flag: '--client-ca-file', path: ['authentication', 'x509', 'clientCAFile'], value: '/ca' },
    ]);
    expect(result).toMatchObject({
      port: 0,
      featureGates: { SystemdWatchdog: false, ContainerCheckpoint: false },
      authentication: { x509: { clientCAFile: '/ca' }, webhook: { enabled: true } },
    });
    expect(merged['port']).toBe(7);
  });
});
