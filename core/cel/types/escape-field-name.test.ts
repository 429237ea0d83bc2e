import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeFieldName, unescapeFieldName } from './escape-field-name.ts';

it.for<[string, string | undefined]>([
  ['name', 'name'],
  ['_name', '_name'],
  ['a_b', 'a_b'],
  ['a__b', 'a__underscores__b'],
  ['a___b', 'a__underscores___b'],
  ['a____b', 'a__underscores____underscores__b'],
  ['x-y', 'x__dash__y'],
  ['x.y', 'x__dot__y'],
  ['x/y', 'x__slash__y'],
  ['-x', '__dash__x'],
  ['app.kubernetes.io/name', 'app__dot__kubernetes__dot__io__slash__name'],
  ['namespace', '__namespace__'],
  ['in', '__in__'],
  ['int', 'int'],
  ['Namespace', 'Namespace'],
  ['', undefined],
  ['1st', undefined],
  ['a b', undefined],
  ['é', undefined],
  ['$ref', undefined],
])('writes the property %s as %s', ([property, name]) => {
  expect(escapeFieldName(property)).toBe(name);
});

it('reads every name that it writes as the property', () => {
  const property = fc.oneof(
    fc.stringMatching(/^[a-z_./-][a-z0-9_./-]{0,12}$/),
    fc.constantFrom('namespace', 'true', '__', '__dot__'),
  );
  fc.assert(
    fc.property(property, (text) => {
      const name = escapeFieldName(text);
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
      expect(unescapeFieldName(name!)).toBe(text);
    }),
  );
});
