// `helm test`: asks the host what a user would, in a namespace of its own, and removes it.
import { callHost, demandHost, waitFor } from './call-host.mjs';

const { DOMAIN, RELEASE, NAMESPACE, REVIEW, AGENTS } = process.env;
const core = `/apis/core.${DOMAIN}/v1`;
const failures = [];

function expectThat(holds, what, answer) {
  console.log(`${holds ? 'ok      ' : 'NOT OK  '} ${what}`);
  if (!holds) {
    failures.push(what);
    console.log(
      `         ${answer.status} ${answer.body.message ?? JSON.stringify(answer.body).slice(0, 500)} ${answer.warnings}`,
    );
  }
}

function makePod(cpu) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe' },
    spec: {
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'probe',
          image: 'registry.example.com/probe:1',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          ...(cpu === undefined ? {} : { resources: { limits: { cpu } } }),
        },
      ],
    },
  };
}

/** Waits until the host itself knows of the registration, which takes it a moment after the operator has written it. */
async function waitForRefusal(pods) {
  let last;
  try {
    await waitFor('a refusal', 60, async () => {
      last = await callHost('POST', `${pods}?dryRun=All`, makePod('2'));
      return last.status === 403 && last.body.message?.includes('maximum cpu usage per Container is 1');
    });
  } catch {
    // What came instead is told below.
  }
  return last;
}

async function testReviews(namespace) {
  const review = {
    apiVersion: `review.${DOMAIN}/v1`,
    kind: 'LimitReview',
    metadata: { namespace },
    spec: { object: makePod('2') },
  };
  const ask = () => callHost('POST', `/apis/review.${DOMAIN}/v1/namespaces/${namespace}/limitreviews`, review);
  const answer = await waitFor('the review endpoints', 60, async () => {
    const tried = await ask();
    return tried.status === 201 ? tried : undefined;
  }).catch(ask);
  expectThat(answer.body.status?.allowed === false, 'a review says that a pod above the limit does not fit', answer);
}

/** Every agent is asked; a Warning names those that did not answer. */
async function testAgents(namespace) {
  const list = `/apis/node.${DOMAIN}/v1/namespaces/${namespace}/checkpoints`;
  const ask = () => callHost('GET', list);
  const answer = await waitFor('the agents', 60, async () => {
    const tried = await ask();
    return tried.status === 200 && tried.warnings === '' ? tried : undefined;
  }).catch(ask);
  expectThat(answer.status === 200 && answer.warnings === '', 'every agent says what checkpoints it has', answer);
}

async function testNamespace(namespace) {
  const quota = (pods) => ({
    apiVersion: `core.${DOMAIN}/v1`,
    kind: 'ResourceQuota',
    metadata: { name: 'probe' },
    spec: { hard: { pods } },
  });
  const quotas = `${core}/namespaces/${namespace}/resourcequotas?dryRun=All`;
  const good = await callHost('POST', quotas, quota('1'));
  expectThat(good.status === 201, 'a quota is taken', good);
  const bad = await callHost('POST', quotas, quota('-1'));
  expectThat(bad.status === 422, 'a quota with a negative limit is refused', bad);

  await demandHost('POST', `${core}/namespaces/${namespace}/limitranges`, {
    apiVersion: `core.${DOMAIN}/v1`,
    kind: 'LimitRange',
    metadata: { name: 'probe' },
    spec: { limits: [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '500m' } }] },
  });
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const { body } = await demandHost('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps/${RELEASE}-settings`);
  const enforcement = body.data?.enforcement;
  if (enforcement === 'Enforce') {
    const refused = await waitForRefusal(pods);
    expectThat(refused.status === 403, 'a pod above the limit is refused', refused);
    const plain = await callHost('POST', `${pods}?dryRun=All`, makePod());
    expectThat(plain.body.spec?.containers[0].resources?.limits?.cpu === '500m', 'a pod gets its default limit', plain);
  } else {
    const passed = await callHost('POST', `${pods}?dryRun=All`, makePod('2'));
    expectThat(passed.status === 201, `a pod above the limit passes, as enforcement is ${enforcement}`, passed);
  }
}

const made = await demandHost('POST', '/api/v1/namespaces', {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { generateName: `${RELEASE}-test-` },
});
const namespace = made.body.metadata.name;
try {
  // Pods need the account that the host makes in every namespace.
  await waitFor('the default service account', 60, async () => {
    return (await callHost('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200;
  });
  await testNamespace(namespace);
  if (REVIEW === 'true') await testReviews(namespace);
  if (AGENTS === 'true') await testAgents(namespace);
} finally {
  await demandHost('DELETE', `/api/v1/namespaces/${namespace}`);
}
if (failures.length > 0) process.exit(1);
