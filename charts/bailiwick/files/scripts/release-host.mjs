// Before an uninstall: nothing of the release may stay between the host and its clients. Webhook registrations that outlive the webhooks
// would refuse what they match, and an APIService without a server behind it hinders the deletion of every namespace.
import { demandHost, waitFor } from './call-host.mjs';

const { RELEASE, NAMESPACE, API_SERVICES, AGENTS, OWN_CERTIFICATES } = process.env;
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

async function waitForEnd(component) {
  const labels = { instance: RELEASE, name: 'bailiwick', component };
  const selector = Object.entries(labels).map(([name, value]) => `app.kubernetes.io/${name}=${value}`);
  try {
    await waitFor(`the end of the ${component}`, 60, async () => {
      const { body } = await demandHost('GET', `${core}/pods?labelSelector=${encodeURIComponent(selector.join(','))}`);
      return body.items.length === 0;
    });
  } catch (error) {
    // On a node that is down, pods never end; nor do they register anything.
    console.log(`${error.message}; going on`);
  }
}

/** An agent that still runs would make its Lease again, so they end first. */
async function removeAgents() {
  await demandHost('DELETE', `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets/${RELEASE}-agent`, undefined, gone);
  await waitForEnd('agent');
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
  const { body } = await demandHost('GET', leases);
  const names = body.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('bailiwick-agent-'));
  for (const name of names) await demandHost('DELETE', `${leases}/${name}`, undefined, gone);
  await demandHost('DELETE', `${core}/secrets/${RELEASE}-agents-authority`, undefined, gone);
  console.log(`agents: ended, ${names.length} leases removed`);
}

await removeRegistrations();
// The operator would register again what is missing, so it has to end; a setting of Off keeps one that cannot be reached from doing so.
await demandHost('PATCH', `${core}/configmaps/${RELEASE}-settings`, { data: { enforcement: 'Off' } }, gone);
await demandHost('PATCH', `${deployment}/scale`, { spec: { replicas: 0 } }, gone);
await waitForEnd('operator');
await removeRegistrations();
for (const service of (API_SERVICES ?? '').split(',').filter((name) => name !== '')) {
  await demandHost('DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/${service}`, undefined, gone);
  console.log(`${service}: removed`);
}
if (AGENTS === 'true') await removeAgents();
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
