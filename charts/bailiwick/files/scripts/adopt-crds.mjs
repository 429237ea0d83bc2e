// CustomResourceDefinitions that an earlier release left behind, or that kubectl brought: makes them what this chart has, and this release's.
import { readdirSync, readFileSync } from 'node:fs';
import { demandHost, waitFor } from './call-host.mjs';

const folder = process.env.CRDS_FOLDER ?? '/scripts';
for (const file of readdirSync(folder).filter((name) => name.endsWith('.crd.json'))) {
  const text = readFileSync(`${folder}/${file}`, 'utf8');
  const { name } = JSON.parse(text).metadata;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
  await demandHost('PATCH', `${path}?fieldManager=helm&force=true`, text, { type: 'application/apply-patch+yaml' });
  await waitFor(`${name} established`, 30, async () => {
    const { body } = await demandHost('GET', path);
    return body.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
  });
  console.log(`${name}: this release's`);
}
