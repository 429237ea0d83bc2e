import { describe, expect, it } from 'vitest';
import { controllerNames, selectControllers, type ControllerName } from './select-controllers.ts';

const without = (name: ControllerName): ControllerName[] => controllerNames.filter((other) => other !== name);

describe('selectControllers', () => {
  it.for<[string, readonly ControllerName[]]>([
    ['*', controllerNames],
    ['namespace-controller', ['namespace-controller']],
    ['namespace-controller,garbage-collector-controller', ['garbage-collector-controller', 'namespace-controller']],
    ['*,-namespace-controller', without('namespace-controller')],
    ['-namespace-controller,*', without('namespace-controller')],
    ['-namespace-controller,namespace-controller,*', without('namespace-controller')],
    ['-namespace-controller', []],
  ])('%s', ([text, expected]) => {
    expect(selectControllers(text)).toEqual({ value: new Set(expected) });
  });

  it.for(['', 'job-controller', '*,-a', '--namespace-controller'])('refuses %j', (text) => {
    expect(selectControllers(text)).toEqual({ fault: expect.stringContaining('no such controller: ') as string });
  });
});
