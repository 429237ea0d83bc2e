import { createInterface } from 'node:readline';

import { performX509Task } from './perform-x509-task.ts';
import type { X509Line, X509Reply } from './run-x509.ts';

/** Does the tasks that come as lines of JSON on standard input, one after another, and ends with it. */
async function serveTasks(): Promise<void> {
  for await (const text of createInterface({ input: process.stdin })) {
    const reply = await answerLine(text);
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  }
}

async function answerLine(text: string): Promise<X509Reply> {
  try {
    const { task, given } = JSON.parse(text) as X509Line;
    return { answer: await performX509Task(task, given) };
  } catch (error) {
    return { failure: String((error as Error).stack ?? error) };
  }
}

await serveTasks();
