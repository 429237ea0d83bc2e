import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { buildE2eBinary, buildKubernetesProgram } from '../cluster/build-control-plane.ts';

/** How one of upstream's specs ended; `failure` is its message, absent unless it failed. */
export interface UpstreamSpec {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly failure?: string;
}

/** Which of upstream's specs to run, and against whom. */
export interface UpstreamRun {
  readonly kubeconfig: string;
  /** Regular expressions of Go that a spec's full name must match one of, or none of. */
  readonly focus: readonly string[];
  readonly skip?: readonly string[];
  /** Specs at once; absent means 4. */
  readonly processes?: number;
}

interface ReportedSpec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

/** A cluster without nodes: nothing waits for one, and nothing of a cloud is asked. */
const nodelessFlags = [
  '--provider=skeleton',
  '--num-nodes=0',
  '--allowed-not-ready-nodes=-1',
  '--minStartupPods=0',
  '--kube-api-content-type=application/json',
  // A failure's message says what is needed; the dump of a namespace would only delay it.
  '--dump-logs-on-failure=false',
  '--disable-log-dump',
  '--ginkgo.no-color',
];

const defaultProcesses = 4;
const maxOutputLength = 20_000;
const states: Readonly<Record<string, UpstreamSpec['state']>> = {
  passed: 'passed',
  skipped: 'skipped',
  pending: 'skipped',
};

function readSpec(spec: ReportedSpec): UpstreamSpec {
  const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');
  const state = states[spec.State] ?? 'failed';
  return state === 'failed' ? { name, state, failure: spec.Failure?.Message ?? spec.State } : { name, state };
}

/** Runs the program once, below `folder`; a dry run only lists what would run. Throws when it gave no report. */
async function runProgram(run: UpstreamRun, folder: string, isDry: boolean): Promise<UpstreamSpec[]> {
  const program = await buildE2eBinary();
  const kubectl = await buildKubernetesProgram('kubectl');
  const cwd = await mkdtemp(join(folder, 'run-'));
  const report = join(cwd, 'report.json');
  const words = [
    `--kubeconfig=${run.kubeconfig}`,
    ...nodelessFlags,
    `--kubectl-path=${kubectl}`,
    ...run.focus.map((expression) => `--ginkgo.focus=${expression}`),
    ...(run.skip ?? []).map((expression) => `--ginkgo.skip=${expression}`),
    `--ginkgo.json-report=${report}`,
    ...(isDry ? ['--ginkgo.dry-run'] : []),
  ];
  // It leaves sockets and settings of kubectl behind.
  const env = { ...process.env, TMPDIR: cwd };
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-maxOutputLength);
    });
  }
  await new Promise((resolve, reject) => {
    child.once('close', resolve).once('error', reject);
  });
  const text = await readFile(report, 'utf8').catch((cause: unknown) => {
    throw new Error(`upstream's tests gave no report:\n${output}`, { cause });
  });
  const [suite] = JSON.parse(text) as [{ readonly SpecReports: readonly ReportedSpec[] | null }];
  const reports = suite.SpecReports ?? [];
  const broken = reports.find((spec) => spec.LeafNodeType !== 'It' && spec.Failure !== undefined);
  if (broken !== undefined) throw new Error(`upstream's tests could not run: ${broken.Failure?.Message ?? ''}`);
  // What the regular expressions leave out is reported as skipped, without a word.
  return reports
    .filter((spec) => spec.LeafNodeType === 'It' && (spec.State !== 'skipped' || Boolean(spec.Failure?.Message)))
    .map(readSpec);
}

/** A regular expression of Go that matches the text alone. */
export function quoteExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** What each program runs. Specs that upstream marks as serial are one program's, so that none of them meets another. */
function shareSpecs(specs: readonly UpstreamSpec[], processes: number): UpstreamSpec[][] {
  const isSerial = ({ name }: UpstreamSpec): boolean => name.includes('[Serial]');
  const others = specs.filter((spec) => !isSerial(spec));
  const count = Math.min(processes, others.length);
  const shares = Array.from({ length: count }, (_, i) => others.filter((_spec, j) => j % count === i));
  const serial = specs.filter(isSerial);
  return serial.length > 0 ? [...shares, serial] : shares;
}

/**
 * Runs specs of Kubernetes' own end-to-end tests, several at once, and tells how each ended, in order of name; those that the regular
 * expressions leave out are not listed. Throws when the program could not run.
 */
export async function runUpstreamSpecs(run: UpstreamRun): Promise<UpstreamSpec[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-upstream-'));
  try {
    const listed = await runProgram(run, folder, true);
    const shares = shareSpecs(listed, run.processes ?? defaultProcesses);
    const results = await Promise.all(
      shares.map((share) =>
        runProgram(
          { kubeconfig: run.kubeconfig, focus: share.map(({ name }) => `${quoteExpression(name)}$`) },
          folder,
          false,
        ),
      ),
    );
    return results.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
