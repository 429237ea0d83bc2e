import type { CelProgram } from '../../../core/cel/cel-program.ts';

/** A program, or why there is none in Kubernetes' words; `isInternal`: it is well-formed and of the right type, and cannot be run all the same. */
export type CompiledExpression = { readonly source: string } & (
  | { readonly program: CelProgram; readonly fault?: undefined }
  | { readonly program?: undefined; readonly fault: string; readonly isInternal?: boolean }
);
