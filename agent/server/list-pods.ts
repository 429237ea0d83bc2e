import type { ContainerRuntime, RuntimeContainerDetails } from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { planPodList, type RuntimePodList } from './plan-pod-list.ts';

/** How many questions about single pods and containers are open at once. */
const width = 8;

/** Runs `ask` for every item, some at once; an item that is gone meanwhile has no answer. */
async function askEach<I, A>(items: readonly I[], ask: (item: I) => Promise<A>): Promise<(A | undefined)[]> {
  const answers: (A | undefined)[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      try {
        answers[index] = await ask(items[index] as I);
      } catch (error) {
        if (!(error instanceof RuntimeFailure && error.code === 'NotFound')) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return answers;
}

async function gatherPods(runtime: ContainerRuntime, nodeName: string): Promise<RuntimePodList> {
  const [version, sandboxes, containers] = await Promise.all([
    runtime.readVersion(),
    runtime.listSandboxes(),
    runtime.listContainers(),
  ]);
  const containerDetails = await askEach(containers, ({ id }) => runtime.readContainer(id));
  const sandboxDetails = await askEach(sandboxes, ({ id }) => runtime.readSandbox(id));
  const details = new Map<string, RuntimeContainerDetails>();
  for (const each of containerDetails) if (each !== undefined) details.set(each.id, each);
  const addresses = new Map<string, readonly string[]>();
  for (const each of sandboxDetails) if (each !== undefined) addresses.set(each.id, each.addresses);
  return planPodList({ runtimeName: version.name, nodeName, sandboxes, containers, details, addresses });
}

/** Makes a function that lists the pods of a runtime; those who ask while it does so share one answer. It throws RuntimeFailure. */
export function makePodLister(runtime: ContainerRuntime, nodeName: string): () => Promise<RuntimePodList> {
  let underWay: Promise<RuntimePodList> | undefined;
  return () => {
    underWay ??= gatherPods(runtime, nodeName).finally(() => (underWay = undefined));
    return underWay;
  };
}
