import { buildGoProgram } from '../cluster/build-control-plane.ts';
import { askByLines, type LineProgram } from './ask-by-lines.ts';

/** A request, what is stored of its kind, and the watches that are open. */
export interface WidthQuestion {
  readonly request: { readonly method: string; readonly url: string };
  /** URLs. */
  readonly watches: readonly string[];
  /** Absent: the kind is not stored. */
  readonly statistics?: { readonly objects: number; readonly averageBytes: number };
  /** Most seats that one request of the level may take; 0: the level sets no bound. */
  readonly maxSeats: number;
}

/** Its seats by Kubernetes, and how many of the watches a write concerns; `failure`: the request cannot be read. */
export interface WidthAnswer {
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatencyMillis: number;
  readonly watches: number;
  readonly failure?: string;
}

/** A running oracle of the seats that requests take. */
export type WidthOracle = LineProgram<WidthQuestion, WidthAnswer>;

const addressSpaceKilobytes = 8_000_000;

/** Starts the oracle, building it when it has to. Throws when Go is missing or the build fails. */
export async function startWidthOracle(): Promise<WidthOracle> {
  const program = await buildGoProgram('width-oracle', new URL('request-width.go', import.meta.url));
  return askByLines(program, addressSpaceKilobytes);
}
