import type { JsonObject, JsonValue } from '../../core/meta/json.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import type { CrdException } from '../../kinds/crd-notes.ts';
import { deriveCrd } from '../../kinds/derive-crd.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';

const sections: Readonly<Record<CrdException['effect'], { title: string; text: string }>> = {
  'not-refused': {
    title: 'Faults that a definition lets pass',
    text:
      'The webhook for our own objects refuses these, in the words of the reference, while it is up. One that was stored nevertheless ' +
      'is inert: nothing acts on it, and an Event with the reason `Invalid` on the object says what is wrong.',
  },
  refused: {
    title: 'Objects that only a definition refuses',
    text: 'The embedded service takes these; a host does not.',
  },
  'not-defaulted': {
    title: 'Defaults that are not stored',
    text: 'Whoever acts on the object fills these in; `kubectl get -o yaml` on a host does not show them.',
  },
};

const bounds = ['maxItems', 'maxProperties', 'maxLength'] as const;
const wordOfBound = { maxItems: 'items', maxProperties: 'keys', maxLength: 'characters' };

function listBounds(schema: JsonObject, path: string): [path: string, bound: string][] {
  const found = bounds.flatMap((bound): [string, string][] =>
    typeof schema[bound] === 'number' && !(bound === 'maxLength' && schema['pattern'] !== undefined)
      ? [[path, `${String(schema[bound])} ${wordOfBound[bound]}`]]
      : [],
  );
  const visit = (value: JsonValue | undefined, at: string) => (isJsonObject(value) ? listBounds(value, at) : []);
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return [
    ...found,
    ...Object.entries(properties).flatMap(([name, property]) =>
      visit(property, path === '' ? name : `${path}.${name}`),
    ),
    ...visit(schema['items'], `${path}[]`),
    ...visit(schema['additionalProperties'], `${path}{}`),
  ];
}

function readSchema(kind: RegisteredKind): JsonObject {
  const spec = deriveCrd(kind)['spec'] as { versions: { schema: { openAPIV3Schema: JsonObject } }[] };
  return spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [header, header.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`,
  );
}

function renderSection(effect: CrdException['effect'], kinds: readonly RegisteredKind[]): string[] {
  const { title, text } = sections[effect];
  const rows = kinds.flatMap(({ crd }) =>
    (crd?.exceptions ?? [])
      .filter((exception) => exception.effect === effect)
      .map(({ rule, reason }) => [`\`${rule}\``, reason]),
  );
  return [`## ${title}`, '', text, '', ...renderTable(['rule', 'why'], rows), ''];
}

/** `docs/reference/crd-rules.md`: where a CustomResourceDefinition judges otherwise than the kind itself, and its bounds. */
export function renderCrdRulesPage(): string {
  const kinds = buildKindRegistry('{domain}').kinds.filter(({ crd }) => crd !== undefined);
  return [
    '# Rules on a host',
    '',
    'Made by `npm run generate` from the `crd.ts` of each kind; `npm run check` fails when this page is out of date.',
    '',
    'On a cluster our kinds are custom resources. Their definitions (`crds/`, and in the chart) say what a kind says: types, defaults,',
    'patterns, and rules in CEL. `test/crds.test.ts` takes every rule of every kind to a real API server and compares the verdicts; this',
    'page lists all points where they differ. Names of rules are those of `kinds/<group>/<kind>/testdata/rules.ts`. The rules need a host of',
    'Kubernetes 1.33 or later: they use CEL comprehensions with two variables.',
    '',
    ...renderSection('not-refused', kinds),
    ...renderSection('refused', kinds),
    'Besides, a host asks for `metadata.resourceVersion` in every PUT, creates nothing by PUT, and refuses objects beyond the bounds below.',
    '',
    ...renderSection('not-defaulted', kinds),
    '## Bounds',
    '',
    'A host estimates what a rule in CEL may cost from the greatest number of items, and refuses a definition without bounds. These are far',
    'above what objects have that fit into its store.',
    '',
    ...renderTable(
      ['kind', 'field', 'at most'],
      kinds.flatMap((kind) =>
        listBounds(readSchema(kind), '').map(([path, bound]) => [kind.kind, `\`${path}\``, bound]),
      ),
    ),
    '',
  ].join('\n');
}
