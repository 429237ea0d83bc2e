import type { Answer, DifferentialStep } from './differential-case.ts';

/** What placeholders stand for. */
export interface StepContext {
  readonly caseName: string;
  readonly namespace: string;
  readonly answers: readonly Answer[];
}

const placeholder = /\{\{([^{}]+)\}\}/g;
const wholePlaceholder = /^\{\{([^{}]+)\}\}$/;

function resolvePlaceholder(name: string, { caseName, namespace, answers }: StepContext): unknown {
  if (name === 'ns') return namespace;
  if (name === 'case') return caseName;
  const [step = '', ...path] = name.split('.');
  const answer = answers[Number(step) - 1];
  if (answer === undefined) throw new Error(`${caseName}: there is no answer for {{${name}}}`);
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], answer.body);
}

/** The value with its placeholders replaced, in keys of objects too. */
function fillPlaceholders(value: unknown, context: StepContext): unknown {
  if (typeof value === 'string') {
    const whole = wholePlaceholder.exec(value)?.[1];
    if (whole !== undefined) return resolvePlaceholder(whole, context);
    return value.replaceAll(placeholder, (_text, name: string) => String(resolvePlaceholder(name, context)));
  }
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, context));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      String(fillPlaceholders(key, context)),
      fillPlaceholders(item, context),
    ]),
  );
}

function roundInteger(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Path, headers and body of a step as they are sent. */
export function fillStep(
  step: DifferentialStep,
  context: StepContext,
): { path: string; headers: Record<string, string>; body?: string | Uint8Array } {
  const given: unknown = typeof step.body === 'function' ? step.body(context.answers) : step.body;
  const filled = fillPlaceholders(given, context);
  const raw = typeof filled === 'string' || filled instanceof Uint8Array;
  const body = filled === undefined || raw ? filled : JSON.stringify(filled, roundInteger);
  const headers = fillPlaceholders(step.headers ?? {}, context) as Record<string, string>;
  return {
    path: String(fillPlaceholders(step.path, context)),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: body }),
  };
}
