/** One command that a page shows, and what it prints. */
export interface ConsoleStep {
  readonly command: string;
  readonly output: string;
}

/** The blocks of code of a page, with the word after the fence. */
export function readBlocks(markdown: string): { language: string; text: string }[] {
  return [...markdown.matchAll(/^```(\S*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}

/** The commands of a page's `console` blocks in order: lines that begin with `$ `, and the lines that each prints. */
export function readConsoleSteps(markdown: string): ConsoleStep[] {
  const steps: { command: string; lines: string[] }[] = [];
  for (const { text } of readBlocks(markdown).filter(({ language }) => language === 'console')) {
    for (const line of text.split('\n').slice(0, -1)) {
      if (line.startsWith('$ ')) steps.push({ command: line.slice(2), lines: [] });
      else if (steps.length === 0) throw new Error(`a console block begins without a command: ${line}`);
      else steps.at(-1)?.lines.push(line);
    }
  }
  return steps.map(({ command, lines }) => ({ command, output: lines.join('\n') }));
}
