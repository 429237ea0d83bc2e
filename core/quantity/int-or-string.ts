/** Kubernetes' IntOrString: a whole number, or a text such as `50%` or the name of a port. */
export type IntOrString = number | string;

/** The number of a percentage such as `50%`; `undefined` for a number and for any other text. */
export function getPercent(value: IntOrString): number | undefined {
  if (typeof value === 'number' || !/^[+-]?[0-9]{1,18}%$/.test(value)) return undefined;
  return Number(value.slice(0, -1));
}

/** A number as it is, a percentage of `total` rounded to a whole number; `undefined` for a text that is no percentage. */
export function scaleIntOrPercent(value: IntOrString, total: number, roundUp: boolean): number | undefined {
  if (typeof value === 'number') return value;
  const percent = getPercent(value);
  if (percent === undefined) return undefined;
  const share = (percent * total) / 100;
  return roundUp ? Math.ceil(share) : Math.floor(share);
}
