import type { CelType } from './cel-type.ts';
import { listTypeParameters } from './format-cel-type.ts';

/** How much a type is. */
export interface TypeMeasure {
  /** Of how many types it is made, itself among them; one that occurs twice counts twice. */
  readonly size: number;
  /** Whether a type parameter is in it. */
  readonly isParametric: boolean;
}

const scalar: TypeMeasure = { size: 1, isParametric: false };
const parameter: TypeMeasure = { size: 1, isParametric: true };
const measures = new WeakMap<CelType, TypeMeasure>();

/** Measures a type; what it is made of is measured once. */
export function measureType(type: CelType): TypeMeasure {
  if (type.kind === 'parameter') return parameter;
  const parts = listTypeParameters(type);
  if (parts.length === 0) return scalar;
  let measure = measures.get(type);
  if (measure === undefined) {
    const measured = parts.map(measureType);
    measure = {
      size: measured.reduce((sum, { size }) => sum + size, 1),
      isParametric: measured.some(({ isParametric }) => isParametric),
    };
    measures.set(type, measure);
  }
  return measure;
}
