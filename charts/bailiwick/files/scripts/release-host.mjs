// Before an uninstall: nothing of the release may stay between the host and its clients. Webhook registrations that outlive the webhooks
// would refuse what they match, and an APIService without a server behind it hinders the deletion of every namespace.
import { demandHost, waitFor } from './call-host.mjs';

const { RELEASE, NAMESPACE, REVIEW_SERVICE, OWN_CERTIFICATES } = process.env;
const core = `/api/v1/namespaces/${NAMESPACE}`;
const deployment = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${RELEASE}-operator`;
const configuration = `${NAMESPACE}.${RELEASE}`;
const registrations = [
  `mutatingwebhookconfigurations/${configuration}`,
  ...['', '.2', '.3', '.4'].map((suffix) => `validatingwebhookconfigurations/${configuration}${suffix}`),
].map((path) => `/apis/admissionregistration.k8s.io/v1/${path}`);
const gone = { accepted: [404] };

async function removeRegistrations() {
  for (const path of registrations) {
    const { status } = await demandHost('DELETE', path, undefined, gone);
    console.log(`${path}: ${status === 404 ? 'not there' : 'removed'}`);
  }
}

await removeRegistrations();
// The operator would register again what is missing, so it has to end; a setting of Off keeps one that cannot be reached from doing so.
await demandHost('PATCH', `${core}/configmaps/${RELEASE}-settings`, { data: { enforcement: 'Off' } }, gone);
await demandHost('PATCH', `${deployment}/scale`, { spec: { replicas: 0 } }, gone);
const selector = encodeURIComponent(
  `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/name=bailiwick,app.kubernetes.io/component=operator`,
);
try {
  await waitFor('the end of the operator', 60, async () => {
    const { body } = await demandHost('GET', `${core}/pods?labelSelector=${selector}`);
    return body.items.length === 0;
  });
} catch (error) {
  // On a node that is down, pods never end; nor do they register anything.
  console.log(`${error.message}; going on`);
}
await removeRegistrations();
if (REVIEW_SERVICE) {
  await demandHost('DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/${REVIEW_SERVICE}`, undefined, gone);
  console.log(`${REVIEW_SERVICE}: removed`);
}
// What the operator made is not Helm's to remove.
await demandHost(
  'DELETE',
  `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${RELEASE}-operator`,
  undefined,
  gone,
);
await demandHost('DELETE', `${core}/pods/${RELEASE}-test`, undefined, gone);
if (OWN_CERTIFICATES === 'true') {
  for (const name of ['authority', 'operator-tls', 'webhooks-tls']) {
    await demandHost('DELETE', `${core}/secrets/${RELEASE}-${name}`, undefined, gone);
  }
}
console.log('nothing of the release is left between the host and its clients');
