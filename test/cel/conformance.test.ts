import { beforeAll, expect, it } from 'vitest';

import { describeOracle } from '../oracle/describe-oracle.ts';
import { judgeConformanceTest, type ConformanceVerdict } from './judge-conformance-test.ts';
import { readConformanceTests } from './read-conformance-tests.ts';
import { renewConformancePage } from './renew-conformance-page.ts';

/** Tests that must be there, so that a change of the source cannot empty the run. */
const fewestPassing = 1400;

describeOracle('the conformance tests of the expression language', () => {
  let verdicts: readonly ConformanceVerdict[];

  beforeAll(async () => {
    verdicts = (await readConformanceTests()).map(judgeConformanceTest);
  });

  function name({ test, ours }: ConformanceVerdict): string {
    return `${test.file}/${test.section}/${test.name}: ${test.expression} yields ${JSON.stringify(ours)}`;
  }

  it('that Kubernetes passes pass here', () => {
    expect(verdicts.filter(({ test }) => test.passes).length).toBeGreaterThanOrEqual(fewestPassing);
    expect(verdicts.filter(({ test, passes }) => test.passes && !passes).map(name)).toEqual([]);
  });

  it('have the same outcome as in Kubernetes, the others too', () => {
    expect(verdicts.filter(({ isAsKubernetes }) => !isAsKubernetes).map(name)).toEqual([]);
  });

  it('are counted on the page', async () => {
    expect(await renewConformancePage(true, verdicts)).toEqual([]);
  });
});
